"""The laws that measurements follow as something grows."""

import math

# A smaller factor between the ends of the fitted slope is noise.
NOISE = 1.3


def exponent(points):
    """Returns the slope of the points on logarithmic scales, by least squares: 0 is constant, 1 is linear."""
    return line([math.log(x) for x, _ in points], [math.log(y) for _, y in points])[1]


def last_exponent(points):
    """Returns the slope between the last two points, where fixed parts count least."""
    return exponent(points[-2:])


def law(points):
    """Returns the law that the points follow: constant, logarithmic, linear, or a power.

    A fixed part, such as the start of a program, makes the slope smaller than the law's. Therefore a + b log x and a + b x are
    fitted as well, and the better one counts, unless a power without a fixed part is much better."""
    slope = exponent(points)
    if abs(slope) * math.log(max(x for x, _ in points) / min(x for x, _ in points)) < math.log(NOISE):
        return "constant"
    if len(points) < 3 or slope < 0:
        return f"x^{slope:.2f}"
    xs, ys = zip(*points)
    logs = [math.log(x) for x in xs]
    errors = {"logarithmic": error(logs, ys), "linear": error(xs, ys)}
    best = min(errors, key=errors.get)
    a, b = line(logs, [math.log(y) for y in ys])
    power = math.sqrt(sum((math.exp(a + b * x) / y - 1) ** 2 for x, y in zip(logs, ys)) / len(ys))
    return best if errors[best] <= 2 * power or errors[best] < 0.1 else f"x^{slope:.2f}"


def line(xs, ys, weights=None):
    """Returns a and b of the line a + b x with the least squares."""
    weights = weights or [1] * len(xs)
    total = sum(weights)
    x_mean = sum(w * x for w, x in zip(weights, xs)) / total
    y_mean = sum(w * y for w, y in zip(weights, ys)) / total
    b = sum(w * (x - x_mean) * (y - y_mean) for w, x, y in zip(weights, xs, ys)) \
        / sum(w * (x - x_mean) ** 2 for w, x in zip(weights, xs))
    return y_mean - b * x_mean, b


def error(xs, ys):
    """Returns the mean relative error of the best line, by squares."""
    a, b = line(xs, ys, [1 / y ** 2 for y in ys])
    return math.sqrt(sum(((a + b * x) / y - 1) ** 2 for x, y in zip(xs, ys)) / len(ys))
