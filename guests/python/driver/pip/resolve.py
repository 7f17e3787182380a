"""Which wheels fit together. A package's conditions are collected; when a choice no longer fits, it is made again."""

from pip.requirements import Requirement, canonical
from pip.versions import Version
from pip.wheels import Error

# Choices that are made again and again fit never.
_MOST_ROUNDS = 200


class Wanted:
    """Everything that is asked of one package."""

    def __init__(self, name):
        self.name, self.conditions, self.extras, self.fixed = name, [], set(), None
        # Who asks: nobody for what the user has named.
        self.parents = []

    def allows(self, version):
        return all(requirement.allows(version) for requirement in self.conditions)

    def named_prerelease(self):
        return any(one.names_prerelease() for requirement in self.conditions for one in requirement.versions)


def resolve(asked, fixed, finder, present, options):
    """What to install, as candidates in the order in which they were found. `asked` are requirements of the user,
    `fixed` the wheels that were named themselves, `present` what is installed already."""
    chosen, rounds = {}, 0
    while True:
        rounds += 1
        if rounds > _MOST_ROUNDS:
            raise Error("no versions were found that fit together (ResolutionImpossible)")
        wanted, queue = {}, [(requirement, None) for requirement in asked]
        for candidate, extras in fixed:
            queue.append((Requirement(candidate.name), None))
            place = wanted.setdefault(candidate.name, Wanted(candidate.name))
            place.fixed, place.extras = candidate, set(extras)
        changed = _walk(queue, wanted, chosen, finder, present, options)
        if not changed:
            return [(wanted[name], chosen[name]) for name in wanted if chosen.get(name) is not None]


def _walk(queue, wanted, chosen, finder, present, options):
    """Collects all conditions along the choices; whether one had to be changed."""
    seen = set()
    while queue:
        requirement, parent = queue.pop(0)
        name = canonical(requirement.name)
        place = wanted.setdefault(name, Wanted(name))
        place.conditions.append(requirement)
        place.parents.append(parent)
        new_extras = requirement.extras - place.extras
        place.extras |= requirement.extras
        choice, keep = _choose(place, chosen.get(name), finder, present, options)
        if name in chosen and chosen[name] is not choice and not keep:
            chosen[name] = choice
            return True
        chosen[name] = choice
        if options.no_deps or (name in seen and not new_extras):
            continue
        seen.add(name)
        for below in _below(place, choice, present):
            queue.append((below, name))
    return False


def _choose(place, before, finder, present, options):
    """A candidate, or nothing where what is installed will do; and whether the choice of before stands."""
    if place.fixed is not None:
        if not place.allows(place.fixed.version):
            raise Error(_conflict(place, place.fixed.version))
        return place.fixed, False
    if before is not None and place.allows(before.version):
        return before, True
    have = present.get(place.name)
    by_user = None in place.parents
    if have is not None and not options.force_reinstall and not (options.upgrade and by_user):
        if place.allows(Version(have.metadata["Version"])):
            return None, False
    url = next((requirement.url for requirement in place.conditions if requirement.url), None)
    if url is not None:
        from pip.sources import from_url

        return from_url(url), False
    best = finder.best(place.name, place.allows, place.named_prerelease())
    if best is None:
        if have is not None and place.allows(Version(have.metadata["Version"])):
            return None, False
        raise Error(_not_found(place, finder))
    if have is not None and not options.force_reinstall and best.version == Version(have.metadata["Version"]):
        return None, False
    return best, False


def _below(place, choice, present):
    if choice is not None:
        return list(choice.wheel().requirements(place.extras))
    requirements = map(Requirement, present[place.name].metadata.get_all("Requires-Dist") or ())
    return [requirement for requirement in requirements if requirement.applies(place.extras)]


def _not_found(place, finder):
    text = str(place.conditions[0]) if len(place.conditions) == 1 else ", ".join(map(str, place.conditions))
    versions = sorted({one.version for one in finder.candidates(place.name)})
    listed = ", ".join(map(str, versions)) or "none"
    lines = [
        f"Could not find a version that satisfies the requirement {text} (from versions: {listed})",
        f"No matching distribution found for {text}",
    ]
    if finder.unusable and not versions:
        lines.append(
            f"There is {finder.unusable[-1]}, but in the sandbox only wheels of pure Python (py3-none-any) can be installed."
        )
    return "\n".join(lines)


def _conflict(place, version):
    wishes = ", ".join(f"{parent or 'the user'} wants {one}" for parent, one in zip(place.parents, place.conditions))
    return f"Cannot install {place.name} {version}: {wishes} (ResolutionImpossible)"
