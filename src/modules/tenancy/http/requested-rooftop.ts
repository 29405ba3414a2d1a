import type { ContactPoint, HoursInterval, PostalAddress } from '../domain/dealer-group.js';
import type { RequestedRooftop } from '../app/keep-rooftops.js';
import type { RooftopProfile } from '../app/rooftop-profile-store.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { AddressDto, ChangeRooftopDto, ContactDto, CreateRooftopDto, HoursDto } from './rooftop.dto.js';

export function requestedRooftop(dto: CreateRooftopDto): RequestedRooftop {
  return {
    rooftopId: dto.rooftop_id,
    name: dto.name,
    legalName: dto.legal_name ?? null,
    website: dto.website ?? null,
    address: addressOf(dto.address),
    timezone: dto.time_zone,
    currency: dto.currency,
    departments: dto.departments,
    contacts: (dto.contacts ?? []).map(contactOf),
    hours: (dto.hours ?? []).map(intervalOf),
    languages: dto.languages ?? [],
  };
}

/** Only what the request names. @throws Failure `input.invalid` for an address without its country: it is replaced whole. */
export function requestedChange(dto: ChangeRooftopDto): Partial<RooftopProfile> {
  const { name, legal_name: legalName, website, address, time_zone: timezone } = dto;
  const { departments, languages } = dto;
  const named = {
    name,
    legalName,
    website,
    address: address === undefined ? undefined : wholeAddress(address),
    timezone,
    departments,
    contacts: dto.contacts?.map(contactOf),
    hours: dto.hours?.map(intervalOf),
    languages,
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

function wholeAddress(dto: AddressDto): PostalAddress {
  const { country, ...address } = addressOf(dto);
  if (country !== undefined) return { ...address, country };
  throw new Failure('input.invalid', {
    violations: [
      { pointer: '/address/country', keyword: 'required', explanation: 'is required: an address is replaced whole' },
    ],
  });
}

function addressOf({ lines, locality, region, postal_code, country }: AddressDto): RequestedRooftop['address'] {
  return {
    lines,
    locality,
    ...(region === undefined ? {} : { region }),
    ...(postal_code === undefined ? {} : { postal_code }),
    ...(country === undefined ? {} : { country }),
  };
}

const contactOf = ({ department, channel, value, public: isPublic }: ContactDto): ContactPoint =>
  isPublic === undefined ? { department, channel, value } : { department, channel, value, public: isPublic };

const intervalOf = ({ day, opens, closes }: HoursDto): HoursInterval => ({ day, opens, closes });
