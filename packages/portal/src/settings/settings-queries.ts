import { useQuery } from '@tanstack/react-query'
import type {
  ApiUserSummary,
  DryRun,
  GoLiveRequest,
  PastChecksView,
  SiteRow,
  SiteView,
} from '@tollgate/portal-contract/answers/settings'
import { api } from '../shell/api.ts'
import { queryClient } from '../shell/query-client.ts'

export function useSites() {
  return useQuery({
    queryKey: ['settings', 'sites'],
    queryFn: ({ signal }) => api.get<{ sites: readonly SiteRow[] }>('/settings/sites', signal),
  })
}

export function useSiteView(siteId: string) {
  return useQuery({
    queryKey: ['settings', 'site', siteId],
    queryFn: ({ signal }) => api.get<SiteView>(`/settings/sites/${siteId}`, signal),
  })
}

export function usePastChecks(siteId: string) {
  return useQuery({
    queryKey: ['settings', 'past-checks', siteId],
    queryFn: ({ signal }) =>
      api.get<PastChecksView>(`/settings/sites/${siteId}/past-checks`, signal),
    staleTime: 60_000,
  })
}

/** Every minute anew: somebody else may ask or decide meanwhile. */
export function useGoLiveRequests() {
  return useQuery({
    queryKey: ['settings', 'go-live'],
    queryFn: ({ signal }) =>
      api.get<{ requests: readonly GoLiveRequest[] }>('/settings/go-live', signal),
    refetchInterval: 60_000,
  })
}

export function useGoLive(siteId: string) {
  return useQuery({
    queryKey: ['settings', 'go-live', siteId],
    queryFn: ({ signal }) =>
      api.get<{ dryRun: DryRun; requests: readonly GoLiveRequest[] }>(
        `/settings/sites/${siteId}/go-live`,
        signal,
      ),
    refetchInterval: 15_000,
  })
}

export function useApiUsers() {
  return useQuery({
    queryKey: ['settings', 'api-users'],
    queryFn: ({ signal }) =>
      api.get<{ users: readonly ApiUserSummary[]; idleDays: number }>(
        '/settings/api-users',
        signal,
      ),
  })
}

/** What an answer of the API says a site is now; the head of the page may name it as well. */
export function siteChanged(site: SiteView): void {
  queryClient.setQueryData(['settings', 'site', site.id], site)
  void queryClient.invalidateQueries({ queryKey: ['settings', 'sites'] })
  void queryClient.invalidateQueries({ queryKey: ['settings', 'go-live'] })
  void queryClient.invalidateQueries({ queryKey: ['session'] })
}
