import { Module } from '@nestjs/common';
import { AuthModule } from '../../modules/auth/index.js';
import { InventoryModule } from '../../modules/inventory/index.js';
import { RetentionModule } from '../../modules/retention/index.js';
import { TenancyModule } from '../../modules/tenancy/index.js';
import { OperationsModule } from '../../operations/operations.module.js';
import { DocumentsController } from './documents.controller.js';
import { PublicationController } from './publication.controller.js';
import { ResourceMetadataController } from './resource-metadata.controller.js';

@Module({
  imports: [AuthModule, InventoryModule, OperationsModule, RetentionModule, TenancyModule],
  controllers: [DocumentsController, PublicationController, ResourceMetadataController],
})
export class DocumentsModule {}
