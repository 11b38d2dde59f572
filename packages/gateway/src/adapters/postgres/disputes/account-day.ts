/**
 * The day of a merchant account `a` in the zone of its merchant, at a time of the machine. The
 * clock is that of the first site whose payments go to the account.
 */
export const ACCOUNT_TODAY = (machineTime: string): string => `(
  select (site_time(
           (select i.id from sites i
              join site_merchant_accounts x on x.site_id = i.id
              join merchant_accounts c on c.id = x.merchant_account_id and c.mode = i.mode
             where i.merchant_id = a.merchant_id and (c.id = a.id or c.stands_for = a.id)
             order by i.id limit 1),
           ${machineTime}) at time zone m.time_zone)::date
    from merchants m where m.id = a.merchant_id)`
