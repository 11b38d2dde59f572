import type { Section } from '../shell/section.ts'

export const orderSection: Section = { title: null, entries: [], routes: [] }
