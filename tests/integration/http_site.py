"""Sites whose broker answers by HTTP, at `site.http`, and operators with tokens."""
from configs import POOL, Cluster
from http_visitor import Visitor
from leasehold_site import Site
from one_site import OnAMadeSite
from scenes import PATIENT, still_site

TOKENS = {"ana": "ana-has-a-long-token", "desk": "desk-has-a-long-token",
          "science": "science-has-a-long-token"}
ROLES = {"ana": "admin", "desk": "read", "science": "admin:/science"}
PLAN = """
[[resource_group]]
name = "compute"
policies = ["east-pool"]
policy = "hybrid"
cycle = "500ms"
[[consumer]]
path = "/science/west"
cluster = "west"
owned = 4
[[consumer]]
path = "/industry/north"
cluster = "north"
owned = 4
"""


def http_site(**settings) -> Site:
    """A still site whose broker answers by HTTP at `site.http`."""
    site = still_site(**settings)
    return with_http(site)


def with_http(site: Site, more: str = "") -> Site:
    site.http = site.claim.ports[2]
    site.settings["http"] = f"127.0.0.1:{site.http}"
    site.more += more
    site.write_broker_config()
    return site


class OnAnHttpSite(OnAMadeSite):
    """A made site whose broker answers by HTTP; its visitor."""

    def site_for_all(self) -> Site:
        return http_site(broker=PATIENT)

    def as_found(self) -> None:
        super().as_found()
        self.visitor = Visitor(self.site.http)


def write_tokens(site: Site, names=tuple(TOKENS)) -> str:
    """The operators' sections; their token files are written."""
    text = ""
    for name in names:
        path = site.path / f"{name}.token"
        path.touch(0o600)
        path.write_text(f"# of {name}\n{TOKENS[name]}\n")
        text += (f'[[operator]]\nname = "{name}"\nrole = "{ROLES[name]}"\n'
                 f'token_file = "{name}.token"\n')
    return text


def plan_site() -> Site:
    clusters = {"east": Cluster({"big1": 8}), "west": Cluster({"w1": 1}), "north": Cluster({"n1": 1})}
    pool = {"name": "east-pool", "provider": "east", "hosts": ["big1"], "slots_per_host": 8}
    side = {**POOL, "name": "side", "provider": "north", "hosts": ["n1"], "slots_per_host": 1,
            "distribution": [{"cluster": "east", "shares": 1}]}
    return Site(clusters, [pool, side], more=PLAN)
