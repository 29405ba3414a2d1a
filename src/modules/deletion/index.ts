export {
  DISPOSERS,
  type BatchOutcome,
  type Disposal,
  type Disposer,
  type PartSize,
  type Slice,
} from './app/disposer.js';
export { RunNotInForce } from './app/run-not-in-force.js';
