import type { AuthMode } from './documents/manifest-publisher.js';
import type { PipelineOptions } from './pipeline.js';

/** What a deployment decides about its operations; provided by the composition root from the settings. */
export interface GatewayIdentity {
  readonly gatewayId: string;
  readonly operatorName: string;
  /** Base URL of the public documents, without a trailing slash. */
  readonly publicUrl: string;
  /** How callers of the protocol surfaces may present themselves. */
  readonly authModes: readonly AuthMode[];
  readonly pipeline: PipelineOptions;
}

export const GATEWAY_IDENTITY = Symbol('GatewayIdentity');
export const CURSOR_SEALER = Symbol('CursorSealer');
