import Gatefold
import Testing

@Suite("Fetched value")
struct FetchedTests {
    private static func signIn(_ backend: String) -> CachedSignIn { CachedSignIn(backend: backend, names: []) }

    @Test("A derived value is as fresh as its source")
    func derived() {
        let fetched = Fetched(1, .cached, cachedSignIns: [Self.signIn("a")])
        #expect(fetched.map { "\($0)" } == Fetched("1", .cached, cachedSignIns: [Self.signIn("a")]))
        #expect(Fetched(1).freshness == .live)
    }

    @Test("A combined value is as fresh as its least fresh part and depends on all cached sign-ins")
    func combined() {
        let (live, cached) = (Fetched(1), Fetched(2, .cached, cachedSignIns: [Self.signIn("a")]))
        let stale = Fetched(3, .stale, cachedSignIns: [Self.signIn("b")])
        #expect(live.combined(with: cached, +) == Fetched(3, .cached, cachedSignIns: [Self.signIn("a")]))
        #expect(
            Fetched.all([stale, live, cached])
                == Fetched([3, 1, 2], .stale, cachedSignIns: [Self.signIn("b"), Self.signIn("a")]))
        #expect(Fetched<Int>.all([]) == Fetched([]))
    }
}
