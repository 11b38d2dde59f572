import type { Secret } from '../../base/secret.ts'
import type { TokenOwner } from './card-token-store.ts'

/** The token service's view of a site that has a key. */
export interface TokenSite extends TokenOwner {
  readonly tolerance: 'strict' | 'wide'
  /** The current one first; a second one only while the site changes over. */
  readonly keys: readonly Secret[]
  /** Origins whose pages may read the answers; '*' is every origin. */
  readonly origins: readonly string[]
}
