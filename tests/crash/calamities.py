"""What befalls a site: each calamity is one function of a CrashSite, named in one line of progress."""
import random
import shutil
import signal

import paths  # noqa: F401
import configs
import scenes

EVERYONE = ("broker", "east", "west", "north")


def some(chance: random.Random) -> list[str]:
    """One or several of the processes, all at times, in any order."""
    return chance.sample(EVERYONE, chance.choices((1, 2, 3, 4), (5, 2, 1, 2))[0])


def an_agent(chance: random.Random) -> str:
    return chance.choice(EVERYONE[1:])


def kill(site, chance) -> str:
    """kill -9 of some, restarts in another order."""
    victims = some(chance)
    for who in victims:
        site.daemon(who).kill9()
        site.watcher.watch(chance.choice((0, 0, 0.05, 0.3)))
    site.watcher.check()
    site.start_in_random_order(chance)
    return "kill -9 of " + ", ".join(victims)


def kill_again_at_once(site, chance) -> str:
    """Killed while it still starts, several times."""
    who = chance.choice(EVERYONE)
    times = chance.randint(2, 4)
    for _ in range(times):
        site.daemon(who).kill9()
        site.daemon(who).start()
        site.watcher.watch(chance.uniform(0.0, 0.15))
    return f"kill -9 of {who} while it starts, {times} times"


def agent_state_lost(site, chance) -> str:
    who = an_agent(chance)
    site.daemon(who).kill9()
    site.distrust()
    for path in site.path.glob(f"{who}-agent.db*"):
        path.unlink()
    site.start_in_random_order(chance)
    return f"the state of {who} lost"


def agent_state_older(site, chance) -> str:
    who = an_agent(chance)
    site.daemon(who).kill9()
    age = site.put_back(f"{who}-agent.db", chance)
    if age:
        site.distrust()
    site.start_in_random_order(chance)
    return f"the state of {who} from {age} rounds ago" if age else f"kill -9 of {who}"


def database_older(site, chance) -> str:
    """With the small file beside it, which tells, or without: then the agents' numbers tell."""
    site.broker.kill9()
    age = site.put_back("leasehold.db", chance)
    if age:
        site.distrust()
        site.databases_put_back += 1
    keep = chance.random() < 0.5
    if age and not keep:
        (site.path / "leasehold.db.commit").unlink(missing_ok=True)
    site.start_in_random_order(chance)
    beside = "with" if keep else "without"
    return f"the database from {age} rounds ago, {beside} its .commit" if age else "kill -9 of broker"


def everything_older(site, chance) -> str:
    """A backup of the database and of one agent's state put back at once."""
    who = an_agent(chance)
    site.broker.kill9()
    site.daemon(who).kill9()
    ages = site.put_back("leasehold.db", chance), site.put_back(f"{who}-agent.db", chance)
    if any(ages):
        site.distrust()
        site.databases_put_back += 1 if ages[0] else 0
    site.start_in_random_order(chance)
    return f"the database from {ages[0]} and the state of {who} from {ages[1]} rounds ago"


def pause(site, chance) -> str:
    """A zombie: stopped for longer than agent_timeout, then it goes on where it was."""
    victims = some(chance)[:2]
    for who in victims:
        site.daemon(who).signal(signal.SIGSTOP)
    site.watcher.watch(site.AGENT_TIMEOUT_S + chance.uniform(0.2, 0.8))
    for who in chance.sample(victims, len(victims)):
        site.daemon(who).signal(signal.SIGCONT)
    return "a long pause of " + ", ".join(victims)


def short_pause(site, chance) -> str:
    who = chance.choice(EVERYONE)
    site.daemon(who).signal(signal.SIGSTOP)
    site.watcher.watch(chance.uniform(0.05, 0.7))
    site.daemon(who).signal(signal.SIGCONT)
    return f"a short pause of {who}"


def die_in_a_pause(site, chance) -> str:
    """Stopped, overtaken by what others do meanwhile, then killed and started again."""
    who = an_agent(chance)
    site.daemon(who).signal(signal.SIGSTOP)
    site.watcher.watch(chance.choice((0.3, site.AGENT_TIMEOUT_S + 0.3)))
    site.daemon(who).kill9()
    site.daemon(who).start()
    return f"a pause of {who}, then kill -9"


def second_agent(site, chance) -> str:
    """Another agent says that it is of the cluster: refused as long as the first one is heard, so none is lost
    meanwhile, however long a look takes."""
    site.wait_until_well()
    with scenes.changed(site, agent_timeout="3m"):
        return refused_second_agent(site, chance)


def refused_second_agent(site, chance) -> str:
    who = an_agent(chance)
    site.wait_until_well()
    config = site.path / f"{who}-second.toml"
    cluster = configs.Cluster(site.clusters[who].hosts)
    trace = site.path / "no-jobs.swf"
    trace.write_text(configs.swf([]))
    config.write_text(configs.agent_toml(who, site.listen, cluster, trace)
                      .replace(f'"{who}-', f'"{who}-second-'))
    second = site.another_agent(who, config)
    second.start()
    second.wait_for_log("second-agent")
    site.watcher.watch(chance.uniform(0.1, 0.5))
    log = second.log()
    second.kill9()
    for path in site.path.glob(f"{who}-second*"):
        path.unlink()
    assert "event=connected" not in log, f"a second agent of {who} was let in:\n{log}"
    return f"a second agent of {who}"


def reload(site, chance) -> str:
    """SIGHUP, and death soon after."""
    site.broker.signal(signal.SIGHUP)
    site.watcher.watch(chance.uniform(0, 0.05))
    site.broker.kill9()
    site.broker.start()
    return "a reload, then kill -9 of the broker"


ALL = {kill: 8, kill_again_at_once: 3, agent_state_lost: 3, agent_state_older: 3,
       database_older: 3, everything_older: 1, pause: 2, short_pause: 2, die_in_a_pause: 2,
       second_agent: 1, reload: 1}


def copy_away(path, target) -> None:
    """Every file of one database, as `cp` would of a process that has ended or is stopped."""
    for each in path.parent.glob(path.name + "*"):
        if not each.name.endswith(("-shm", ".lock", ".commit")):
            shutil.copy2(each, target / each.name)
