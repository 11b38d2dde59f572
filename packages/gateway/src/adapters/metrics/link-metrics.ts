import { Counter, Gauge, type Registry } from 'prom-client'
import type { LinkStateView } from '../../usecases/banks/processor-links.ts'

type ReadLinks = () => readonly LinkStateView[]

/** The metrics of the links to banks. */
export interface LinkMetrics {
  /** Sets the source of their states. */
  watch(read: ReadLinks): void
  /** @param linkId null for the bundled bank */
  nameOf(linkId: bigint | null): string
}

/** A link that is gone from the configuration is gone from these metrics. */
export function createLinkMetrics(registers: Registry[]): LinkMetrics {
  let readLinks: ReadLinks = () => []
  const gauge = (name: string, help: string, valueOf: (link: LinkStateView) => number): void => {
    void new Gauge({
      name,
      help,
      labelNames: ['link'],
      aggregator: 'sum',
      registers,
      collect() {
        this.reset()
        for (const link of readLinks()) this.set({ link: link.name }, valueOf(link))
      },
    })
  }
  gauge('tollgate_bank_links_up', 'Workers whose link to the bank is up, by link.', ({ state }) =>
    state === 'up' ? 1 : 0,
  )
  gauge(
    'tollgate_bank_link_in_flight',
    'Messages that wait for the answer of the bank, by link.',
    ({ inFlight }) => inFlight,
  )
  gauge(
    'tollgate_bank_link_waiting',
    'Messages that wait for a place in the window of a link.',
    ({ waiting }) => waiting,
  )
  void new Counter({
    name: 'tollgate_bank_link_refused_total',
    help: 'Messages without a place on a link, at the share of a merchant or at the whole window.',
    labelNames: ['link', 'why'],
    registers,
    collect() {
      this.reset()
      for (const { name: link, refused } of readLinks()) {
        for (const [why, count] of Object.entries(refused)) this.inc({ link, why }, count)
      }
    },
  })
  return {
    watch(read) {
      readLinks = read
    },
    nameOf: createLinkNames(() => readLinks()),
  }
}

/** The names of links: a link keeps its name, so the states of all are read once for each. */
export function createLinkNames(readLinks: ReadLinks): (linkId: bigint | null) => string {
  const names = new Map<bigint | null, string>()
  return (linkId) => {
    const known = names.get(linkId)
    if (known !== undefined) return known
    const found = readLinks().find((link) => link.linkId === linkId)
    if (found === undefined) return 'none'
    names.set(linkId, found.name)
    return found.name
  }
}
