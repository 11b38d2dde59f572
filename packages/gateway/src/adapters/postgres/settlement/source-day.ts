/**
 * The day of a source `s` in the zone of its merchant, at a time of the machine. The clock is that
 * of the first site whose payments go to the account.
 */
export const SOURCE_TODAY = (machineTime: string): string => `(
  select (site_time(
           (select i.id from sites i
              join site_merchant_accounts x on x.site_id = i.id
              join merchant_accounts a on a.id = x.merchant_account_id and a.mode = i.mode
             where i.merchant_id = s.merchant_id
               and (a.id = s.merchant_account_id or a.stands_for = s.merchant_account_id)
             order by i.id limit 1),
           ${machineTime}) at time zone m.time_zone)::date
    from merchants m where m.id = s.merchant_id)`
