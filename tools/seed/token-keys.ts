import type { OwnerSession } from './owner-session.ts'
import { SAMPLE_SITES } from './sample-merchant.ts'

/**
 * Makes a token key for each sample site, as its owner does in the portal. Without one, no card can
 * be typed at the virtual terminal. Sites that have one keep it. Throws when the portal refuses.
 */
export async function giveTokenKeys({ call }: OwnerSession): Promise<void> {
  for (const { id } of SAMPLE_SITES) {
    const { tokens } = (await call('GET', `/settings/sites/${id}`)) as {
      tokens: { current: string | null }
    }
    if (tokens.current === null) await call('POST', `/settings/sites/${id}/token-keys`)
  }
}
