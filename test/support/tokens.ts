import { createTokenClient, signTokenRequest, type CardToken } from '@tollgate/client'
import { VISA } from './payments.ts'

export type DemoSite = 1001 | 1002 | 1003

/** A token from a gateway's token service, for a card that always has money. */
export function newToken(
  baseUrl: string,
  card: { readonly cardNumber?: string; readonly securityCode?: string } = {},
  siteId: DemoSite = 1001,
): Promise<CardToken> {
  const client = createTokenClient({ baseUrl, siteId, siteKey: `sandbox-site-key-${siteId}` })
  return client.createToken({ cardNumber: VISA, ...card })
}

/** A signed request in good order with changes; null takes a parameter or header away. */
export function tokenRequest(
  changes: Readonly<Record<string, string | null>> = {},
  { siteId = 1001, at = new Date(Date.now()) }: { siteId?: number; at?: Date } = {},
): { readonly form: URLSearchParams; readonly headers: Record<string, string> } {
  const signed = signTokenRequest({ siteId, siteKey: `sandbox-site-key-${siteId}`, at })
  const all: Record<string, string | null> = {
    SITE_ID: String(siteId),
    UNIQUE_ID: signed.uniqueId,
    REQUEST_API_VERSION: '4.14',
    CARD_PAN: VISA,
    'X-TIMESTAMP': signed.timestamp,
    'X-SIGNATURE': signed.signature,
    ...changes,
  }
  const form = new URLSearchParams()
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(all)) {
    if (value === null) continue
    if (name.startsWith('X-')) headers[name] = value
    else form.set(name, value)
  }
  return { form, headers }
}
