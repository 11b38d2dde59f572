import type { Section } from '../shell/section.ts'

export const customersSection: Section = { title: 'Customers', entries: [], routes: [] }
