import type { Section } from '../shell/section.ts'

export const peopleSection: Section = { title: 'People', entries: [], routes: [] }
