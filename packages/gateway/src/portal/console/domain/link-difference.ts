import type { LinkOutline } from '../../../domain/banks/link-outline.ts'

/** One setting of a link; `before` is null for a link that does not exist yet. */
export interface LinkChange {
  readonly what: string
  readonly before: string | null
  readonly after: string
}

/** The settings that a change alters; all of them for a new link. */
export function linkDifference(
  before: LinkOutline | null,
  after: LinkOutline,
  certificateText: (pem: string) => string,
): readonly LinkChange[] {
  const old = before === null ? null : textsOf(before, certificateText)
  return Object.entries(textsOf(after, certificateText))
    .map(([what, text]) => ({ what, before: old?.[what] ?? null, after: text }))
    .filter((change) => change.before !== change.after)
}

/** The changes as one sentence's part, such as `mode live, addresses a:1 (was b:1)`. */
export function differenceText(changes: readonly LinkChange[]): string {
  if (changes.length === 0) return 'nothing differs but the key'
  return changes
    .map(
      ({ what, before, after }) => `${what} ${after}${before === null ? '' : ` (was ${before})`}`,
    )
    .join('; ')
}

/** Whether one operator may not put a link alone: live payments could go elsewhere. */
export function linkNeedsSecond(
  before:
    | (Pick<LinkOutline, 'mode'> & { readonly accounts: readonly { readonly mode: string }[] })
    | null,
  after: Pick<LinkOutline, 'mode'>,
): boolean {
  const uses = before?.accounts.map(({ mode }) => mode) ?? []
  return [after.mode, before?.mode, ...uses].includes('live')
}

function textsOf(
  link: LinkOutline,
  certificateText: (pem: string) => string,
): Readonly<Record<string, string>> {
  const { tls } = link
  return {
    mode: link.mode,
    addresses: link.addresses.join(' and '),
    profile: link.profile,
    institution: link.institutionId,
    'CA of the host': tls === null ? 'none, plain text' : certificateText(tls.ca),
    'client certificate': tls === null || tls.cert === null ? 'none' : certificateText(tls.cert),
    'echo after': `${link.echoIdleSeconds} s`,
    window: `${link.window} requests`,
    timeout: `${link.messageTimeoutMs} ms`,
    'batch agreement': link.batchAgreement ? 'yes' : 'no',
  }
}
