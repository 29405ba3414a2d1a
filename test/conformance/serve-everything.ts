import 'reflect-metadata';
import { runRole } from '../../src/process/run-role.js';
import { EverythingFixtureModule } from './everything/everything-fixture.module.js';

// The whole service as `npm start` runs it, with the SDK's server of fixtures behind its HTTP layer.
EverythingFixtureModule.install();
await runRole('all');
