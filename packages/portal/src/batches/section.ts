import type { Section } from '../shell/section.ts'

export const batchesSection: Section = { title: 'Money', entries: [], routes: [] }
