import { useQuery } from '@tanstack/react-query'
import type { SiteMailView } from '@tollgate/portal-contract/answers/mail'
import type { SiteView } from '@tollgate/portal-contract/answers/settings'
import * as routes from '@tollgate/portal-contract/routes'
import { call } from '../shell/api.ts'
import { queryClient } from '../shell/query-client.ts'

export function useSites() {
  return useQuery({
    queryKey: ['settings', 'sites'],
    queryFn: ({ signal }) => call(routes.sites.list, { signal }),
  })
}

export function useSiteView(siteId: string) {
  return useQuery({
    queryKey: ['settings', 'site', siteId],
    queryFn: ({ signal }) => call(routes.sites.read, { path: { siteId }, signal }),
  })
}

export function usePastChecks(siteId: string) {
  return useQuery({
    queryKey: ['settings', 'past-checks', siteId],
    queryFn: ({ signal }) => call(routes.sites.pastChecks, { path: { siteId }, signal }),
    staleTime: 60_000,
  })
}

/** Reads every minute: another user may request or decide meanwhile. */
export function useGoLiveRequests() {
  return useQuery({
    queryKey: ['settings', 'go-live'],
    queryFn: ({ signal }) => call(routes.goLive.list, { signal }),
    refetchInterval: 60_000,
  })
}

export function useGoLive(siteId: string) {
  return useQuery({
    queryKey: ['settings', 'go-live', siteId],
    queryFn: ({ signal }) => call(routes.goLive.ofSite, { path: { siteId }, signal }),
    refetchInterval: 15_000,
  })
}

export function useApiUsers() {
  return useQuery({
    queryKey: ['settings', 'api-users'],
    queryFn: ({ signal }) => call(routes.apiUsers.list, { signal }),
  })
}

/** Takes over a site from an API response; the head of the page may name it as well. */
export function siteChanged(site: SiteView): void {
  queryClient.setQueryData(['settings', 'site', site.id], site)
  void queryClient.invalidateQueries({ queryKey: ['settings', 'sites'] })
  void queryClient.invalidateQueries({ queryKey: ['settings', 'go-live'] })
  void queryClient.invalidateQueries({ queryKey: ['session'] })
}

export function useSiteMail(siteId: string) {
  return useQuery({
    queryKey: ['settings', 'mail', siteId],
    queryFn: ({ signal }) => call(routes.mail.read, { path: { siteId }, signal }),
  })
}

/** Takes over a site's mail from an API response. */
export function mailChanged(siteId: string, view: SiteMailView): void {
  queryClient.setQueryData(['settings', 'mail', siteId], view)
}
