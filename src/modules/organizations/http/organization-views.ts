import { rfc3339 } from '../../../kernel/time.js';
import type { Organization, OrganizationEntry, OrganizationProfile } from '../../tenancy/index.js';
import type { RequestedOrganization } from '../app/create-organization.js';
import type { ChangeOrganizationDto, CreateOrganizationDto } from './organization.dto.js';

export function organizationView(organization: Organization): object {
  return {
    organization_id: organization.organizationId,
    name: organization.name,
    legal_name: organization.legalName,
    website: organization.website,
    time_zone: organization.timezone,
    currency: organization.currency,
    country: organization.country,
    state: organization.state,
    version: organization.version,
    created_at: rfc3339(organization.createdAt),
    updated_at: rfc3339(organization.updatedAt),
  };
}

export function organizationEntryView(entry: OrganizationEntry): object {
  return {
    organization_id: entry.organizationId,
    name: entry.name,
    state: entry.state,
    version: entry.version,
    created_at: rfc3339(entry.createdAt),
    updated_at: rfc3339(entry.updatedAt),
  };
}

export function requestedOrganization(dto: CreateOrganizationDto): RequestedOrganization {
  return {
    organizationId: dto.organization_id,
    name: dto.name,
    legalName: dto.legal_name ?? null,
    website: dto.website ?? null,
    timezone: dto.time_zone ?? null,
    currency: dto.currency ?? null,
    country: dto.country ?? null,
    adminName: dto.admin_name,
  };
}

/** Only what the request names. */
export function requestedProfile(dto: ChangeOrganizationDto): Partial<OrganizationProfile> {
  const { name, legal_name: legalName, website, time_zone: timezone, currency, country } = dto;
  const named = { name, legalName, website, timezone, currency, country };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}
