#!/usr/bin/env node
// The command line. In a clone it prepares what is missing first, as npm start does.
import { prepare } from '../tools/prepare.mjs';

prepare((line) => process.stderr.write(`forecourt: ${line} …\n`));
await import('../dist/command/main.js');
