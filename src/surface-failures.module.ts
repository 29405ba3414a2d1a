import { Global, Module } from '@nestjs/common';
import type { FailureRenderer } from './platform/http/failure-renderer.js';
import { FAILURE_RENDERERS } from './platform/http/failure-renderer.js';
import { PUBLIC_URL } from './platform/http/public-url.js';
import { MetadataFailureRenderer } from './surfaces/documents/metadata-failure-renderer.js';
import { McpFailureRenderer } from './surfaces/mcp/mcp-failure-renderer.js';
import { McpModule } from './surfaces/mcp/mcp.module.js';
import { OpsFailureRenderer } from './surfaces/ops/ops-failure-renderer.js';

/** Which surface words a failure: protocol surfaces claim their paths, ops takes the rest and comes last. */
@Global()
@Module({
  imports: [McpModule],
  providers: [
    {
      provide: FAILURE_RENDERERS,
      inject: [McpFailureRenderer, PUBLIC_URL],
      useFactory: (mcp: McpFailureRenderer, publicUrl: string): readonly FailureRenderer[] => [
        mcp,
        new MetadataFailureRenderer(),
        new OpsFailureRenderer(`${publicUrl}/.well-known/oauth-protected-resource/admin`),
      ],
    },
  ],
  exports: [FAILURE_RENDERERS],
})
export class SurfaceFailuresModule {}
