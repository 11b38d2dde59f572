import type { LinkProps } from '@tanstack/react-router'
import { batchesSection } from '../batches/section.ts'
import { customersSection } from '../customers/section.ts'
import { developerSection } from '../developer/section.ts'
import { differencesSection } from '../differences/section.ts'
import { disputesSection } from '../disputes/section.ts'
import { homeSection } from '../home/section.ts'
import { orderSection } from '../order/section.ts'
import { ordersSection } from '../orders/section.ts'
import { payoutsSection } from '../payouts/section.ts'
import { settingsSection } from '../settings/section.ts'
import { portalUsersSection } from '../users/section.ts'
import { webhooksSection } from '../webhooks/section.ts'
import type { Section } from './section.ts'

// A section cannot ask this of its own entries: the type of addresses is made of its pages.
interface LeadsToPages {
  readonly entries: readonly { readonly path: NonNullable<LinkProps['to']> }[]
}

/** In the sequence of the navigation. */
export const sections: readonly Section[] = [
  homeSection,
  ordersSection,
  orderSection,
  customersSection,
  batchesSection,
  payoutsSection,
  differencesSection,
  disputesSection,
  settingsSection,
  webhooksSection,
  portalUsersSection,
  developerSection,
] satisfies readonly LeadsToPages[]
