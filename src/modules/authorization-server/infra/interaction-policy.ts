import { interactionPolicy } from 'oidc-provider';

/**
 * A person is asked every time: their code for the sign-in, and their consent, whatever was consented before. A client that says
 * it is one we know proves nothing by that.
 */
export function askEveryTime(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  const { Check } = interactionPolicy;
  policy
    .get('consent')
    ?.checks.add(
      new Check('consent_each_time', 'consent is asked for every request', ({ oidc }) =>
        oidc.result?.['consent'] === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    );
  return policy;
}
