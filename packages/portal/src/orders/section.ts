import type { Section } from '../shell/section.ts'

export const ordersSection: Section = { title: null, entries: [], routes: [] }
