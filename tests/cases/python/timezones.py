### a rule with summer time
import os, time, datetime
os.environ["TZ"] = "CET-1CEST,M3.5.0,M10.5.0/3"
time.tzset()
print(time.tzname, time.timezone, time.altzone, time.daylight)
for t in 0, 1711846799, 1711846800, 1720000000, 1729990799, 1729990800, 1730000000.5:
    now = time.localtime(t)
    print(tuple(now), now.tm_zone, now.tm_gmtoff, time.mktime(now), time.strftime("%Y-%m-%d %H:%M:%S %Z %z", now), time.ctime(t))
    d = datetime.datetime.fromtimestamp(t)
    print(d, d.fold, d.timestamp(), d.astimezone(), d.astimezone().tzname(), datetime.date.fromtimestamp(t))
### half an hour, and a name in brackets
import os, time
os.environ["TZ"] = "<+0530>-5:30"
time.tzset()
print(time.tzname, time.timezone, time.daylight, time.strftime("%H:%M %Z %z", time.localtime(0)))
### south of the equator
import os, time
os.environ["TZ"] = "AEST-10AEDT,M10.1.0,M4.1.0/3"
time.tzset()
print(time.tzname, time.timezone, time.altzone, time.daylight, time.localtime(1704067200).tm_isdst, time.localtime(1720000000).tm_isdst)
### back to UTC
import os, time, datetime
os.environ["TZ"] = "XXX4"
time.tzset()
print(time.localtime(0).tm_hour, datetime.datetime.fromtimestamp(0))
os.environ["TZ"] = "UTC"
time.tzset()
print(time.localtime(0).tm_hour, datetime.datetime.fromtimestamp(0), time.tzname)
### times that are out of their range
import os, time
os.environ["TZ"] = "EST5EDT,M3.2.0,M11.1.0"
time.tzset()
print(time.mktime((2024, 14, 35, 25, 61, 61, 0, 0, -1)), time.mktime((2024, 7, 1, 0, 0, 0, 0, 0, 0)), time.mktime((2024, 1, 1, 0, 0, 0, 0, 0, 1)))
### the classes are the same
import os, time, datetime, pickle
os.environ["TZ"] = "JST-9"
time.tzset()
class D(datetime.datetime): pass
print(type(D.now()), type(D.fromtimestamp(0)), D.fromtimestamp(0), D.today().date() == datetime.date.today() == datetime.datetime.now().date())
print(pickle.loads(pickle.dumps(datetime.datetime.fromtimestamp(0))), abs(D.now().timestamp() - time.time()) < 5)
print(datetime.datetime(2024, 7, 1, tzinfo=datetime.timezone.utc).astimezone(), datetime.datetime.now(datetime.timezone.utc).tzname())
