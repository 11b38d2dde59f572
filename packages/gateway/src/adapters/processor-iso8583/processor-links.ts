import type { Secret } from '../../base/secret.ts'
import { endpointText } from '../../usecases/banks/processor-links.ts'
import type { LinkStateView, ProcessorLink } from '../../usecases/banks/processor-links.ts'
import type { Processor } from '../../usecases/banks/processor.ts'
import type { BatchProcessor } from '../../usecases/books/batch-processor.ts'
import type { MerchantAccount } from '../../usecases/merchants/merchant-directory.ts'
import { VaultUnavailableError } from '../../usecases/vault/card-vault.ts'
import { retrievalReference } from './message-identity.ts'
import { entryMode } from './messages.ts'
import { createIso8583Processor } from './processor.ts'
import type { Iso8583Processor, ProcessorOptions } from './processor.ts'

export interface ProcessorLinksOptions {
  /** The bundled bank; null where there is none. Its creator starts and stops it. */
  readonly bank: Iso8583Processor | null
  /** Called for each message to the bundled bank where there is none. It must not throw. */
  readonly onNoBank: () => void
  /** Opens a link's client key. */
  readonly openKey: (sealed: Uint8Array, linkName: string) => Promise<Secret>
  /** `lastError`: why it is not up, null for a stop. Not called twice for one. Must not throw. */
  readonly onStateChange: (link: string, state: string, lastError: string | null) => void
  readonly onLateAnswer: ProcessorOptions['onLateAnswer']
  /** A merchant's message got no place on this link. It must not throw. */
  readonly onRefused: (link: string, ...refused: Parameters<ProcessorOptions['onRefused']>) => void
}

/** The bundled bank and the configured links: each message goes the way of its merchant account. */
export interface ProcessorLinks extends Processor, BatchProcessor {
  /**
   * Makes these the links that are open, and waits until what is new is up, for a few seconds at
   * most. Until then messages keep to the old connection of a link that changed.
   */
  use(links: readonly ProcessorLink[]): Promise<void>
  linkStates(): LinkStateView[]
  /** Lets open messages be answered, up to a limit. */
  stop(): Promise<void>
}

interface OpenLink {
  readonly link: ProcessorLink
  /** Null when its settings cannot be used; `fault` says why. */
  readonly processor: Iso8583Processor | null
  readonly fault: string | null
}

/** The name of its link, for operators. */
export const BUNDLED_BANK = 'the bundled bank'

const WAIT_UNTIL_UP_MS = 3_000

export function createProcessorLinks(options: ProcessorLinksOptions): ProcessorLinks {
  const { bank } = options
  const open = new Map<bigint, OpenLink>()

  /** Null: there is no way to the account's bank, so nothing may be sent at all. */
  function processorOf({ linkId, mode }: MerchantAccount): Iso8583Processor | null {
    if (linkId === null) {
      if (mode !== 'test') return null
      if (bank === null) options.onNoBank()
      return bank
    }
    const entry = open.get(linkId)
    return entry?.link.mode === mode ? entry.processor : null
  }

  async function renew(link: ProcessorLink): Promise<void> {
    const old = open.get(link.id)
    const next = await openLink(link, options)
    next.processor?.link.start()
    if (old?.processor?.link.state() !== 'up') open.set(link.id, next)
    if (next.processor !== null) await untilUp(next.processor, WAIT_UNTIL_UP_MS)
    open.set(link.id, next)
    // Its open messages may still be answered; no caller needs to wait for that.
    void old?.processor?.link.stop()
  }

  return {
    retrievalReference,
    entryMode,

    async authorize(request, timeoutMs) {
      const processor = processorOf(request.account)
      if (processor === null) return { kind: 'not_sent', reason: 'link_down' }
      return processor.authorize(request, timeoutMs)
    },

    async deliver(advice, timeoutMs) {
      const processor = processorOf(advice.account)
      if (processor === null) return { kind: 'not_sent', reason: 'link_down' }
      return processor.deliver(advice, timeoutMs)
    },

    async agreeTotals(request, timeoutMs) {
      const processor = processorOf(request.account)
      if (processor === null) return { kind: 'not_sent', reason: 'link_down' }
      return processor.agreeTotals(request, timeoutMs)
    },

    async readDetail(request, timeoutMs) {
      const processor = processorOf(request.account)
      if (processor === null) return { kind: 'not_sent', reason: 'link_down' }
      return processor.readDetail(request, timeoutMs)
    },

    async use(links) {
      const wanted = new Set(links.map(({ id }) => id))
      for (const [id, entry] of open) {
        if (wanted.has(id)) continue
        open.delete(id)
        void entry.processor?.link.stop()
      }
      const changed = links.filter(({ id, revision }) => open.get(id)?.link.revision !== revision)
      await Promise.all(changed.map(renew))
    },

    linkStates() {
      return [...(bank === null ? [] : [bankState(bank)]), ...[...open.values()].map(stateOf)]
    },

    async stop() {
      await Promise.all([...open.values()].flatMap(({ processor }) => processor?.link.stop() ?? []))
    },
  }
}

async function openLink(link: ProcessorLink, options: ProcessorLinksOptions): Promise<OpenLink> {
  let lastReported = ''
  try {
    const tls = await tlsOf(link, options.openKey)
    const processor: Iso8583Processor = createIso8583Processor({
      ...link.address,
      acquirerId: link.institutionId,
      isTestBank: false,
      onLateAnswer: options.onLateAnswer,
      onRefused: (...refused) => options.onRefused(link.name, ...refused),
      onStateChange: (state, isStop) => {
        const lastError = isStop ? null : processor.link.status().lastError
        // A link that stays down reconnects every few seconds: that is one report.
        const reported = state === 'up' ? state : `${lastError}`
        if (state === 'signing_on' || reported === lastReported) return
        lastReported = reported
        options.onStateChange(link.name, state, state === 'up' ? null : lastError)
      },
      settings: { ...link, tls },
    })
    return { link, processor, fault: null }
  } catch (error) {
    // The next look tries again.
    if (error instanceof VaultUnavailableError) throw error
    const fault = `Its TLS settings cannot be used: ${error instanceof Error ? error.message : String(error)}.`
    options.onStateChange(link.name, 'down', fault)
    return { link, processor: null, fault }
  }
}

type LinkTlsSettings = NonNullable<ProcessorOptions['settings']>['tls']

async function tlsOf(
  { name, tls }: ProcessorLink,
  openKey: ProcessorLinksOptions['openKey'],
): Promise<LinkTlsSettings> {
  if (tls === null) return null
  const { ca, client } = tls
  if (client === null) return { ca, client }
  return {
    ca,
    client: { cert: client.cert, key: (await openKey(client.sealedKey, name)).reveal() },
  }
}

/** Resolves when the link is up, or after the limit. */
async function untilUp({ link }: Iso8583Processor, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  await Promise.race([link.whenUp(), limit])
  clearTimeout(timer)
}

function bankState(bank: Iso8583Processor): LinkStateView {
  const { address, ...status } = bank.link.status()
  return {
    linkId: null,
    name: BUNDLED_BANK,
    mode: 'test',
    ...status,
    address: endpointText(address),
  }
}

function stateOf({ link, processor, fault }: OpenLink): LinkStateView {
  const { id: linkId, name, mode } = link
  if (processor === null) {
    const address = endpointText(link.address)
    return {
      linkId,
      name,
      mode,
      state: 'down',
      address,
      signedOnSince: null,
      lastError: fault,
      inFlight: 0,
      waiting: 0,
      refused: { share: 0, window: 0 },
    }
  }
  const { address, ...status } = processor.link.status()
  return { linkId, name, mode, ...status, address: endpointText(address) }
}
