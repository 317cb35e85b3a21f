/** What happens during a login, for whoever shows it. */
export type LoginEvent =
  /** Always comes first in a browser login, before any browser is tried. */
  | { readonly type: 'address'; readonly url: string; readonly port: number }
  | { readonly type: 'browser'; readonly opened: true }
  | { readonly type: 'browser'; readonly opened: false; readonly reason: string }
  | {
      readonly type: 'device-code';
      readonly userCode: string;
      readonly verificationUri: string;
      readonly verificationUriComplete: string | null;
      readonly expiresInMs: number;
    }
  | { readonly type: 'verifying' };

export type LoginListener = (event: LoginEvent) => void;
