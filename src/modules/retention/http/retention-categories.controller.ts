import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RETENTION_CATEGORIES, type RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { CATEGORY_CATALOGUE } from '../domain/category-catalogue.js';
import { EXEMPTIONS } from '../domain/category-storage.js';

/** What the service stores, by category, and what keeps it from being deleted past a hold. The same for every organization. */
@ApiTags('retention')
@ApiBearerAuth()
@Controller('admin/v1/retention/categories')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
export class RetentionCategoriesController {
  @Get()
  @AdminOperation({ name: 'retention.list_categories', audit: 'read', retention: 'none' })
  @ApiOperation({
    summary: 'List the categories of what is stored: where it is, its clocks, and guard or exemption of each table',
  })
  list(): object {
    return { categories: (Object.keys(CATEGORY_CATALOGUE) as RetentionCategory[]).map(viewOf) };
  }
}

function viewOf(category: RetentionCategory): object {
  const { stored, isStored, clocks, actions, governed, exempt, files } = CATEGORY_CATALOGUE[category];
  return {
    category,
    description: RETENTION_CATEGORIES[category],
    is_stored: isStored,
    stored,
    clocks,
    actions,
    guarded_tables: governed,
    exempt_tables: Object.entries(exempt).map(([table, exemption]) => ({ table, reason: EXEMPTIONS[exemption] })),
    files,
  };
}
