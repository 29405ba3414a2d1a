import { MANIFEST_URI } from './resource-uri.js';

const JSON_TYPE = 'application/json';

/** The resources that are listed. Others are reached by their templates: a group has thousands. */
export const RESOURCES = [
  {
    uri: MANIFEST_URI,
    name: 'manifest',
    title: 'Capability manifest',
    description: 'What this gateway serves for the dealer group.',
    mimeType: JSON_TYPE,
  },
];

const GROUP = 'dealeragent://organization/{organization_id}';

/** The reserved URIs of DAP §3.4, as templates. They identify; each read is authorized on its own. */
export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: GROUP,
    name: 'organization',
    title: 'Dealer group',
    description: 'The group with its rooftops, as dealeragent.dealer.get answers it.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: `${GROUP}/rooftop/{rooftop_id}`,
    name: 'rooftop',
    title: 'Rooftop',
    description: 'The group with this rooftop alone, as dealeragent.dealer.get answers it.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: `${GROUP}/rooftop/{rooftop_id}/vehicle/{vehicle_id}`,
    name: 'vehicle',
    title: 'Published vehicle',
    description: 'One published vehicle, as dealeragent.inventory.get_vehicle answers it.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: `${GROUP}/policy/{policy_id}`,
    name: 'policy',
    title: 'Dealer policy',
    description: 'What the policy of the group enforces today, and what not yet.',
    mimeType: JSON_TYPE,
  },
];
