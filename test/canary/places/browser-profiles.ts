import { profilesOf } from '../browser-profile.ts'
import { filesUnder } from '../files-under.ts'
import type { Place } from '../place.ts'

/**
 * All that the browsers of customers have on disk: storage, history, sessions, form data, cache,
 * crashes.
 */
export const browserProfiles: Place = {
  name: 'profiles of browsers',
  when: 'stopped',
  *collect(run) {
    yield* filesUnder(profilesOf(run))
  },
}
