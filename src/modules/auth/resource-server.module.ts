import { Module } from '@nestjs/common';
import { PROTECTED_RESOURCES } from '../../kernel/ports/protected-resources.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { publicUrlOf } from '../../platform/http/public-url.js';
import { DEALER_DIRECTORY, type DealerDirectory, TenancyModule } from '../tenancy/index.js';
import { KnownResources } from './app/known-resources.js';

/** The OAuth 2.1 resource server: which resources there are, whom they trust, and whether a token counts. */
@Module({
  imports: [TenancyModule],
  providers: [
    {
      provide: PROTECTED_RESOURCES,
      inject: [SETTINGS, DEALER_DIRECTORY],
      useFactory: (settings: Settings, directory: DealerDirectory) =>
        new KnownResources(publicUrlOf(settings), directory),
    },
  ],
  exports: [PROTECTED_RESOURCES],
})
export class ResourceServerModule {}
