import type { DataClass } from './operation.js';

/** Data class by place in an answer: JSON Pointer with `*` for any element or name, and `**` at the end for all below. */
export type Classification = Readonly<Record<string, DataClass>>;

const business = (...places: readonly string[]): Classification => classified('public_business', places);
const inventory = (...places: readonly string[]): Classification => classified('public_inventory', places);
const protectedRetail = (...places: readonly string[]): Classification => classified('protected_retail', places);
const classified = (dataClass: DataClass, places: readonly string[]): Classification =>
  Object.fromEntries(places.map((place) => [place, dataClass]));

/** Places of a classification below another place. */
const below = (place: string, classes: Classification): Classification =>
  Object.fromEntries(Object.entries(classes).map(([at, dataClass]) => [place + at, dataClass]));

/** Where a fact comes from and how old it is belongs to the fact. */
const ATTRIBUTION = ['/provenance/**', '/freshness/**'] as const;
const TENANT = business('/organization_id', '/rooftop_id');

const VEHICLE: Classification = {
  ...TENANT,
  ...inventory('/vehicle_id', '/vin', '/stock_number', '/vehicle_type', '/year', '/make', '/model', '/trim'),
  ...inventory('/condition', '/body_style', '/exterior_color', '/interior_color', '/odometer/**', '/powertrain/**'),
  ...inventory('/features/*', '/media/*/type', '/media/*/url', '/media/*/caption', '/media/*/position', '/listing_url'),
  ...inventory('/advertised_price/**', '/availability/**', '/used_vehicle/**', '/extensions/*', ...ATTRIBUTION),
};

/**
 * The class of every field of every answer (DAP security profile §6). A field that is not here cannot leave: the table is
 * held against all output schemas when the service starts. A new field is a decision about who may see it.
 */
export const DATA_CLASSES: Readonly<Record<string, Classification>> = {
  'dealeragent.dealer.get': {
    ...business('/organization_id', '/name', '/legal_name', '/extensions/*', ...ATTRIBUTION),
    ...below('/rooftops/*', {
      ...business('/rooftop_id', '/name', '/legal_name', '/website', '/address/**', '/timezone', '/departments/*'),
      ...business(
        '/contacts/*/**',
        '/hours/*/**',
        '/supported_languages/*',
        '/supported_currencies/*',
        '/extensions/*',
      ),
    }),
  },
  'dealeragent.discovery.get_manifest': {
    ...business('/standard', '/standard_version', '/mcp_revision', '/gateway_id', '/operator/**', '/extensions/*'),
    ...business('/organization_ids/*', '/rooftop_ids/*', '/capabilities/*/**', '/resources/*', '/auth_modes/*'),
    ...business('/tenant_routing/**', '/schema_base_uri', '/policy_uri', '/authority_policy/**'),
    ...business('/freshness_sla_seconds/*/**', '/conformance/**', '/issued_at', '/expires_at'),
  },
  'dealeragent.policy.get': {
    ...business('/policy_id', '/version', '/organization_id', '/statements/*/**', '/completeness_formula/**'),
    ...business(
      '/retention/*/**',
      '/retention_policy',
      '/retention_policy/**',
      '/freshness_sla_seconds/*/**',
      '/inventory_age_published/*',
      '/dealer_policy/**',
    ),
  },
  'dealeragent.inventory.search': {
    ...below('/vehicles/*', VEHICLE),
    ...inventory('/facets/*/*/value', '/facets/*/*/count', '/page/**', '/trace_id', ...ATTRIBUTION),
  },
  'dealeragent.inventory.get_vehicle': VEHICLE,
  'dealeragent.inventory.get_used_vehicle_details': {
    ...TENANT,
    ...inventory('/vehicle_id', '/vin', '/condition', '/odometer/**', '/inventory_tenure/**', '/history_reports/*/**'),
    ...inventory('/title/**', '/condition_report/**', '/certification/**', '/reconditioning/**', '/discrepancies/*/**'),
    ...inventory('/extensions/*', '/trace_id', ...ATTRIBUTION),
  },
  'dealeragent.pricing.get_disclosure': {
    ...TENANT,
    ...inventory('/disclosure_id', '/vehicle_id', '/advertised_price/**', '/required_dealer_charges/*/**'),
    ...inventory('/conditional_adjustments/*/**', '/government_charges/**', '/disclosure_completeness/**'),
    ...inventory('/disclosure_text', '/uncertainty/**', ...ATTRIBUTION),
  },
  'dealeragent.inventory.verify_availability': {
    ...TENANT,
    ...inventory('/vehicle_id', '/trace_id'),
    ...protectedRetail('/availability/**', ...ATTRIBUTION),
  },
};
