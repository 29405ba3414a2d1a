import { Module } from '@nestjs/common';
import { TenancyModule } from '../../modules/tenancy/index.js';
import { OperationsModule } from '../../operations/operations.module.js';
import { DocumentsController } from './documents.controller.js';

@Module({ imports: [OperationsModule, TenancyModule], controllers: [DocumentsController] })
export class DocumentsModule {}
