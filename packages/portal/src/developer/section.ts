import type { Section } from '../shell/section.ts'

export const developerSection: Section = { title: 'Developers', entries: [], routes: [] }
