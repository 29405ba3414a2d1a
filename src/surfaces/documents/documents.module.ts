import { Module } from '@nestjs/common';
import { InventoryModule } from '../../modules/inventory/index.js';
import { TenancyModule } from '../../modules/tenancy/index.js';
import { OperationsModule } from '../../operations/operations.module.js';
import { DocumentsController } from './documents.controller.js';
import { PublicationController } from './publication.controller.js';

@Module({
  imports: [InventoryModule, OperationsModule, TenancyModule],
  controllers: [DocumentsController, PublicationController],
})
export class DocumentsModule {}
