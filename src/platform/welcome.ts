import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Membership } from '#testing/platform';

/** What to do with an emulated platform, to be copied into another terminal. */
export function welcomeText(url: string, memberships: readonly Membership[], program: string): string {
  const people = memberships.map(
    ({ user, organization, role }) => `  ${user.email} at ${organization.name} (${organization.id}), ${role}\n`,
  );
  return `An emulated Osmosis platform listens on ${url}. It knows no passwords and forgets all when it ends.

In another terminal, so that your real logins stay as they are:

  export OSMOSIS_PLATFORM_URL=${url}
  export OSMOSIS_CONFIG_DIR=${join(tmpdir(), 'osmosis-platform-trial')}
  alias osmosis='node ${program}'

  osmosis login                 # in a browser; with --device by a code
  osmosis whoami --verify
  osmosis workspace list
  osmosis serve -m <your agent> -H 127.0.0.1
  osmosis logout

You can log in as:

${people.join('')}
Stop with Ctrl-C.
`;
}
