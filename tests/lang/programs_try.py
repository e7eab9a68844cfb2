"""Programs with `try`, `except`, `finally` and `with` around what raises depending on data."""


class MyError(Exception):
    pass


class Coded(ValueError):
    def __init__(self, code, msg="m"):
        super().__init__(msg)
        self.code = code


def _some(x, n):
    if n == 3:
        raise ValueError("three")
    if n == 5:
        raise KeyError("five")
    return x * n


def raise_under_a_condition(x, n):
    try:
        y = x * 2.0
        if n > 2:
            raise ValueError("a")
        y = y + 1.0
    except ValueError:
        y = x * 3.0
    return y


def every_part_in_order(x, n):
    log = []
    try:
        log.append(1)
        d = {"a": 1}
        k = d["b"]
        log.append(2)
    except KeyError as e:
        log.append(3)
    else:
        log.append(4)
    finally:
        log.append(5)
    return (x, log)


def several_handlers_of_a_call(x, n):
    try:
        y = _some(x, n)
    except ValueError as e:
        return x * 10.0
    except (KeyError, IndexError) as e:
        return x * 20.0
    return y + 1.0


def in_a_loop_with_break_and_continue(x, n):
    s = 0
    for i in range(n):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            if i == 2:
                raise MyError("x")
            s += 1
        except MyError:
            s += 100
        finally:
            s += 1000
    return x * s


def in_a_rolled_loop(x, n):
    for i in range(30):
        try:
            x = _some(x * 0.5, i if n > 2 else 0)
        except (ValueError, KeyError):
            x = x + 1.0
    return x


def out_of_a_rolled_loop(x, n):
    try:
        for i in range(n):
            x = x * 1.5
            if x[2] > 5.0:
                raise ValueError("big")
        x = x + 100.0
    except ValueError:
        x = x - 1.0
    return x


def out_of_an_endless_loop(x, n):
    try:
        i = 0
        while True:
            i += 1
            if i > n:
                raise StopIteration
            x = x * 2.0
    except StopIteration:
        pass
    return x


def finally_in_an_outer_try(x, n):
    try:
        try:
            if n > 2:
                raise ValueError("a")
            x = x + 1.0
        finally:
            x = x * 2.0
    except ValueError:
        x = x * 5.0
    return x


def division_by_zero(x, n):
    try:
        return x * (10 // (n - 3))
    except ZeroDivisionError:
        return x * 0.25


def index_of_the_run(x, n):
    xs = [1.0, 2.0, 3.0]
    try:
        return x * xs[n]
    except IndexError:
        return x


def out_of_recursion(x, n):

    def f(k):
        if k == 0:
            return x
        if k == 3:
            raise ValueError("k")
        return f(k - 1) * 2.0

    try:
        return f(n)
    except ValueError:
        return x * 7.0


def finally_that_returns(x, n):

    def f():
        try:
            if n > 2:
                return 1
            return 2
        finally:
            if n == 5:
                return 3

    return x * f()


def class_with_attributes(x, n):
    try:
        if n > 2:
            raise Coded(n, "bad")
        return x
    except Coded as e:
        return x * e.code


def text_of_several_classes(x, n):
    try:
        if n == 1:
            raise Coded(4)
        if n == 2:
            raise MyError("q", 3)
        if n > 2:
            raise ValueError(f"v{n}")
        return (x, "none")
    except Exception as e:
        return (x, str(e))


def raise_from(x, n):
    try:
        if n > 2:
            raise ValueError("a")
        return x
    except ValueError as e:
        raise KeyError("b") from e


def raise_again(x, n):
    try:
        if n > 2:
            raise ValueError("a")
        return x
    except ValueError:
        if n > 3:
            raise
        return x * 2.0


def missing_key_in_an_unrolled_loop(x, n):
    xs = []
    for k in ("a", "b", "c"):
        try:
            v = {"a": 1, "c": 3}[k]
        except KeyError:
            continue
        xs.append(v)
    return (x * n, xs)


def certain_error_of_an_op(x, n):
    try:
        y = x.reshape(7)
    except ValueError:
        y = x.reshape(3, 1)
    return y


def failed_assertion(x, n):
    try:
        assert n < 3, "big"
    except AssertionError as e:
        return x * 2.0
    return x


def exception_in_a_variable(x, n):
    e2 = None
    try:
        if n > 2:
            raise ValueError("a")
    except ValueError as e:
        e2 = e
    if e2 is not None:
        raise e2
    return x


def raise_in_a_handler(x, n):
    try:
        try:
            x = _some(x, n)
        except ValueError:
            x = _some(x, n + 2)
    except KeyError:
        x = x * 0.1
    return x


def return_in_a_handler_of_a_loop(x, n):
    out = x
    for i in range(3):
        try:
            out = _some(out, i + n)
        except ValueError:
            if n == 1:
                break
            out = out * 2.0
        except KeyError:
            return out
    else:
        out = out + 50.0
    return out


def end_of_an_iterator(x, n):
    try:
        it = iter([1, 2])
        for i in range(n):
            x = x * next(it)
    except StopIteration:
        x = x * 9.0
    return x


def list_that_paths_change(x, n):
    log = []
    try:
        log.append("a")
        if n > 2:
            log.append("b")
            raise ValueError
        log.append("c")
    except ValueError:
        pass
    return (x, len(log))


def in_recursion(x, n):

    def f(k):
        try:
            if k == 0:
                raise ValueError("z")
            return f(k - 1) + 1
        except ValueError:
            return 0

    return x * f(n)


def finally_in_recursion(x, n):

    def f(k):
        try:
            if k == 0:
                raise ValueError("z")
            return f(k - 1) * 2.0
        finally:
            pass

    try:
        return f(n)
    except ValueError:
        return x


def in_a_while_with_else(x, n):
    y = x
    while n > 0:
        n -= 1
        try:
            y = _some(y * 0.5, n)
        except ValueError:
            y = y + 1.0
            continue
        except KeyError:
            break
        y = y + 0.5
    else:
        y = y * 3.0
    return y


def builtins_that_fail(x, n):
    try:
        a = int("7") + int("z")
    except ValueError:
        a = 4
    try:
        import no_such_module_q
    except ImportError:
        a += 1
    return x * a


def finally_around_a_return_in_a_loop(x, n):

    def f():
        for i in range(n):
            try:
                if i == 2:
                    return i
            finally:
                log.append(i)
        return -1

    log = []
    r = f()
    return x * r


def missing_attribute(x, n):
    try:
        x = x.foo
    except AttributeError:
        x = x * 2.0
    return x


def handlers_that_do_not_take_it(x, n):
    try:
        if n > 2:
            try:
                raise ValueError("inner")
            except KeyError:
                x = x * 99.0
        x = x + 1.0
    except ValueError:
        x = x * 3.0
    return x


def class_of_what_is_caught(x, n):
    try:
        v = _some(x, n)
    except Exception as e:
        k = type(e).__name__
        b = isinstance(e, KeyError)
    else:
        k, b = ("none", False)
    return (x, k, b)


def arguments_of_the_run(x, n):
    try:
        raise ValueError("a", n)
    except ValueError as e:
        return x * e.args[1]


def generator_that_raises(x, n):

    def parts(k):
        for i in range(3):
            if i == k:
                raise ValueError("end")
            yield (x * i)

    try:
        for p in parts(n):
            x = x + p
    except ValueError:
        x = x * 0.5
    return x


def tuple_of_classes_by_name(x, n):
    errors = (ValueError, KeyError)
    try:
        x = _some(x, n)
    except errors as e:
        return x * len(e.args)
    except Exception:
        return x * 0.0
    return x


def shapes_by_data(x, n):
    try:
        y = x.reshape(3, 1) if n < 3 else x.reshape(7)
    except ValueError:
        y = x.reshape(3, 1) * 2.0
    return y.sum() * x


def nested_calls(x, n):

    def inner(k):
        try:
            return _some(x, k)
        except ValueError as e:
            raise KeyError("inner") from e

    def outer(k):
        try:
            return inner(k)
        finally:
            count[0] += k

    count = [0]
    try:
        y = outer(n) + outer(n + 1)
    except KeyError:
        y = x
    return (y, count[0])


def item_of_a_tensor(x, n):
    try:
        return x * x[n]
    except IndexError:
        return x


def set_item_of_a_list(x, n):
    xs = [1.0, 2.0]
    try:
        xs[4 if n > 2 else 0] = 3.0
    except IndexError:
        xs.append(9.0)
    return (x * xs[0], len(xs) > 2)


def item_that_changes_before(x, n):
    y = x.copy()
    try:
        y[0] = 5.0
        if n > 2:
            raise MyError
        y[1] = 6.0
    except MyError:
        y[2] = 7.0
    return y * x


def function_chosen_by_data(x, n):

    def good(v):
        return v * 2.0

    def bad(v):
        raise ValueError("bad")

    f = good if n > 2 else bad
    try:
        return f(x)
    except ValueError:
        return x


def else_that_raises(x, n):
    try:
        try:
            y = x * 2.0
        except ValueError:
            y = x
        else:
            if n > 2:
                raise ValueError("not caught by its own try")
    except ValueError:
        y = x * 5.0
    return y


def missing_key_that_no_handler_takes(x, n):
    try:
        if n < -1:
            raise ValueError("a")
        x = x * {"a": 1.0}["a" if n < 3 else "b"]
    except ValueError:
        return x * 7.0
    return x


def generator_with_finally_that_raises(x, n):
    def parts():
        try:
            yield 1.0
            yield 2.0
            if n > 2:
                raise ValueError("third")
            yield 3.0
        finally:
            left[0] += 1

    left, total = [0], 0.0
    try:
        for v in parts():
            total = total + v
    except ValueError:
        total = total + 100.0
    return x * total, left


def recursion_that_divides_in_try(x, n):
    def f(t, i):
        if i <= 0:
            return t
        k = 7 // (n % 3)
        return f(x * 2.0 if k == 3 else t * 2.0, i - 1) + f(t * 3.0, i - 1) * k

    try:
        y = f(x, n)
    except ZeroDivisionError:
        y = x
    return y


def recursion_that_indexes_in_finally(x, n):
    def f(t, i):
        if i <= 0:
            return t
        return f(t * (0.5, 2.0, 1.5, 1.0)[n], i - 1) + x

    try:
        y = f(x, n)
    except IndexError:
        y = x * 5.0
    finally:
        z = x * 0.5
    return y + z


def an_index_that_data_move(x, n):
    for k in range(n + 1):
        k = k + int(x[0] > 0.0)
        try:
            x = x * x[k] * 2.0
        except Exception as e:
            x = x * (len(e.args) + 1.0)
    return x
