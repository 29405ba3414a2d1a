import { Controller, Get, Param, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { STARTING_PROFILES } from '../domain/starting-profiles.js';
import { profileOf } from './starting-document.js';
import { profileEntryView, profileView } from './retention-views.js';

const RETENTION = 'policy_version';

/** Documents to start a retention policy from, dated, with their citations. */
@ApiTags('retention')
@ApiBearerAuth()
@Controller('admin/v1/retention/profiles')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
export class RetentionProfilesController {
  @Get()
  @AdminOperation({ name: 'retention.list_profiles', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List starting profiles; each is to be confirmed with counsel' })
  list(): object {
    return { profiles: STARTING_PROFILES.map(profileEntryView) };
  }

  @Get(':profile_id')
  @AdminOperation({ name: 'retention.get_profile', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show a starting profile, rule by rule, with citations' })
  profile(@Param('profile_id') profileId: string): object {
    return profileView(profileOf(profileId));
  }
}
