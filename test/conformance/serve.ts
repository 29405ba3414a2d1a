import 'reflect-metadata';
import { runRole } from '../../src/process/run-role.js';
import { ConformanceFixtureModule } from './conformance-fixture.module.js';

// The whole service with the demo group, as `npm start` runs it, and the conformance suite's fixture tools in its table.
ConformanceFixtureModule.install();
await runRole('all');
