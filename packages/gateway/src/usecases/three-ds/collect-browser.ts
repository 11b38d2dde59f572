import type { Clock } from '../../base/clock.ts'
import { decodeText, encodeText, readObject } from './challenge-messages.ts'
import { readCollectedBrowser } from './collected-browser.ts'
import type { CollectionStore } from './collection-store.ts'
import type { ThreeDsTokens } from './three-ds-tokens.ts'

/** The tasks of the data collection page. */
export interface CollectPage {
  /** DDC_REFERENCEID, for the shop's page. */
  readonly reference: string
  readonly test: boolean
  /** By which it sends what it found; null when there is nothing more to find. */
  readonly handle: string | null
  /** The issuer's page to have open beside it; null: none. */
  readonly method: { readonly url: string; readonly data: string } | null
}

export interface CollectBrowser {
  /** Null for what is no token of an open collection. */
  open(token: string): Promise<CollectPage | null>
  /** Says nothing about whether there was anything to keep. */
  keep(fields: ReadonlyMap<string, string>): Promise<void>
  methodDone(methodData: string): Promise<void>
}

/** The issuer's page has so long, from the load of the page around it. */
export const METHOD_MS = 10_000
const HANDLE = /^[A-Za-z0-9_-]{22}$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The pages of the data collection, without their looks. */
export function createCollectBrowser(deps: {
  readonly collections: CollectionStore
  readonly tokens: ThreeDsTokens
  readonly clock: Clock
  readonly newHandle: () => string
  /** The return address of the issuer's page: at most 256 characters. */
  readonly methodNotificationUrl: string
}): CollectBrowser {
  return {
    async open(token) {
      const claims = await deps.tokens.verify('ddc', token)
      if (claims === null) return null
      const handle = deps.newHandle()
      const opened = await deps.collections.open(claims.tokenId, handle, deps.clock.now())
      if (opened === null || opened.reference !== claims.reference) return null
      if (opened.merchantAccountId !== claims.merchantAccountId) return null
      const { reference, serverTransId } = opened
      const methodUrl = opened.methodUrl?.startsWith('https://') === true ? opened.methodUrl : null
      const data = {
        threeDSServerTransID: serverTransId,
        threeDSMethodNotificationURL: deps.methodNotificationUrl,
      }
      return {
        reference,
        test: opened.mode === 'test',
        handle: opened.collects ? handle : null,
        method:
          methodUrl === null ? null : { url: methodUrl, data: encodeText(JSON.stringify(data)) },
      }
    },

    async keep(fields) {
      const handle = fields.get('handle') ?? ''
      if (!HANDLE.test(handle)) return
      await deps.collections.keep(handle, readCollectedBrowser(fields), deps.clock.now())
    },

    async methodDone(methodData) {
      const text = decodeText(methodData)
      const id = (text === null ? null : readObject(text))?.['threeDSServerTransID']
      if (typeof id !== 'string' || !UUID.test(id)) return
      const now = deps.clock.now()
      await deps.collections.completeMethod(id, new Date(now.getTime() - METHOD_MS), now)
    },
  }
}
