import { PlatformRecords, type Membership } from './platform-records.js';

const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem}
button{display:block;width:100%;margin:.5rem 0;padding:.75rem;font:inherit;text-align:left}label{display:block;margin:1rem 0 .25rem}
input{font:inherit;padding:.5rem;width:100%;box-sizing:border-box}`;

interface LoginPage {
  readonly action: string;
  readonly deviceName: string;
  /** Sent along unseen. */
  readonly hidden: Readonly<Record<string, string>>;
  /** Asks for the code on the device too. */
  readonly userCode?: string;
  readonly memberships: readonly Membership[];
}

/** Whoever is clicked is logged in: the emulator knows no passwords. */
export function loginPage({ action, deviceName, hidden, userCode, memberships }: LoginPage): string {
  const fields = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`,
  );
  const code =
    userCode === undefined
      ? ''
      : `<label for="code">Code shown on the device</label><input id="code" name="user_code" value="${escape(userCode)}" required>`;
  const choices = memberships.map((membership) => {
    const { user, organization, role } = membership;
    return (
      `<button name="membership" value="${escape(PlatformRecords.keyOf(membership))}">` +
      `${escape(user.email)} at ${escape(organization.name)} (${role})</button>`
    );
  });
  return page(
    'Emulated platform: log in',
    `<p>Allow <strong>${escape(deviceName)}</strong> to use the platform as:</p>
<form method="post" action="${escape(action)}">
${[...fields, code, ...choices].join('\n')}
<button name="membership" value="">Deny</button>
</form>`,
  );
}

export function messagePage(title: string, text: string): string {
  return page(title, `<p>${escape(text)}</p>`);
}

function page(title: string, content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style></head>
<body><main><h1>${escape(title)}</h1>${content}</main></body></html>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
