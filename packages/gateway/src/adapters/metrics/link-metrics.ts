import { Counter, Gauge, type Registry } from 'prom-client'
import type { LinkStateView } from '../../usecases/banks/processor-links.ts'

type ReadLinks = () => readonly LinkStateView[]

/**
 * The metrics of the links to banks; returns how to set the source of their states. A link that is
 * gone from the configuration is gone from here.
 */
export function createLinkMetrics(registers: Registry[]): (read: ReadLinks) => void {
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
  return (read) => {
    readLinks = read
  }
}
