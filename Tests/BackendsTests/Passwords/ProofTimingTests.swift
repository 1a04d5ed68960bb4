import Conformance
import Foundation
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing

@Suite("Pitfall 6: timing of proofs") struct ProofTimingTests {
    /// One cheap stored password of each kind that costs differently. All are hashes of `correct horse`.
    static let stored: [(scheme: String, value: String)] = [
        ("bcrypt", "$2b$04$KBCwKxOzLha2MUDgW0PjXexGfB5dmDvvvgEVjeeXiTo87i0yXWYau"),
        ("pbkdf2", "pbkdf2_sha256$1000$wsUiRSLT1pKXac8eZ49n25$tvgoP6jWbMsK88WYswfSd50giYe/XArs/qFvd2Wxltc="),
        (
            "sha512-crypt",
            "$6$rounds=1000$k2XAnEHBqQ1Ct2aM$yfBXbHVNVf4J0eyDZhe27ipKodSqcTbLWkIV1mTNHVmYxiLcl4/RsaWmahApFz75S0UnbNJV"
                + "9U1Xwm7FGZ9ab/"
        ),
        ("argon2", "$argon2id$v=19$m=1024,t=1,p=4$y36CXxgcuVBluKZBPe5/1w$rEkgTThSfennVzYiUCYvKg"),
        ("ldap", "{SSHA}HGFywgyNIZEcSZuVN63HFbh+IqR27t07"),
    ]

    @Test("Unknown and known readers cost exactly the same work, for every scheme")
    func equalWork() async throws {
        for vector in try await PasswordVector.made(of: "correct horse") {
            let counter = HashCounter()
            let verifier = try testVerifier(counter)
            let rule = try proofRule("scheme: \(vector.scheme)")
            _ = try await rule.verify("correct horse", vector.proof, identifier: "ada", with: verifier)
            let work = counter.take()
            #expect(work.count == 1)
            for (identifier, typed, stored) in [
                ("ada", "wrong", vector.proof), ("nobody", "wrong", nil), ("nobody else", "correct horse", nil),
                ("ada", "nul\0", vector.proof), ("nobody", "", nil), ("locked", "wrong", StoredProof(value: "")),
            ] as [(String, String, StoredProof?)] {
                #expect(try await rule.verify(typed, stored, identifier: identifier, with: verifier) == .wrong)
                #expect(counter.take() == work, "\(vector) \(identifier)")
            }
        }
    }

    @Test("Before any known reader, the work is that of the scheme, of the example, or of a new hash")
    func cold() async throws {
        let bcrypt = Self.stored[0].value
        for (yaml, expected) in [
            ("{}", PasswordScheme.yescrypt), ("scheme: bcrypt", .bcrypt2y), ("scheme: ldap", .ldap),
            ("{example: '\(bcrypt)'}", .bcrypt2b), (#"{template: "md5({password}{salt})"}"#, .template),
            ("plain: true", .plain),
        ] {
            let counter = HashCounter()
            let verifier = try testVerifier(counter)
            #expect(try await proofRule(yaml).verify("correct horse", nil, with: verifier) == .wrong)
            #expect(counter.take() == [expected])
        }
    }

    @Test("With mixed schemes an unknown reader costs the same as some known one, equally at every attempt")
    func mixed() async throws {
        let counter = HashCounter()
        let verifier = try testVerifier(counter)
        let rule = try proofRule()
        for number in 0..<100 {
            let stored = StoredProof(value: Self.stored[number.isMultiple(of: 2) ? 0 : 4].value)
            _ = try await rule.verify("wrong", stored, identifier: "reader\(number)", with: verifier)
        }
        _ = counter.take()
        var first: [[PasswordScheme]] = []
        for attempt in 0..<3 {
            var all: [[PasswordScheme]] = []
            for number in 0..<100 {
                _ = try await rule.verify("wrong", nil, identifier: "nobody\(number)", with: verifier)
                all.append(counter.take())
            }
            if attempt == 0 { first = all }
            #expect(all == first)
        }
        // Half of 100, within six standard deviations of a draw from the mixed cache.
        let costly = first.count { $0 == [.bcrypt2b] }
        #expect((20...80).contains(costly))
    }

    @Test("The cache of dummy hashes follows changed hashes, is limited in size and never holds a digest")
    func cache() throws {
        let cache = DummyHashCache(random: .seeded(1))
        #expect(cache.choose(for: "nobody", known: nil) == nil)
        let old = try #require(PasswordFormats.selfDescribing.read(StoredProof(value: Self.stored[4].value)))
        let new = try #require(PasswordFormats.selfDescribing.read(StoredProof(value: Self.stored[0].value)))
        _ = cache.choose(for: "ada", known: old)
        #expect(cache.choose(for: "nobody", known: nil)?.scheme == .ldap)
        _ = cache.choose(for: "ada", known: new)
        let dummyHash = try #require(cache.choose(for: "nobody", known: nil))
        #expect(dummyHash.scheme == .bcrypt2b)
        #expect(try !dummyHash.matches(Array("correct horse".utf8)))
        for number in 0..<1000 { _ = cache.choose(for: "reader\(number)", known: old) }
        let schemes = Set((0..<500).compactMap { cache.choose(for: "nobody\($0)", known: nil)?.scheme })
        #expect(schemes == [.ldap, .bcrypt2b])
    }

    /// Measures 300 pairs of an unknown reader and a known one with a wrong password, in random order, and ranks them
    /// with the Mann-Whitney test. Pure chance passes the bound on |z| in 7 of a million. One of three attempts must
    /// pass, because other programs use the machine too. A dummy hash of another cost is far outside, as another test
    /// shows.
    private static func measured(_ rule: ProofRule, _ known: StoredProof, _ verifier: PasswordVerifier) async throws
        -> RankSumTest
    {
        var random = SeededRandom(seed: UInt64.random(in: 0 ... .max))
        let clock = ContinuousClock()
        var times: [[Double]] = [[], []]
        for pair in 0..<300 {
            for isKnown in Bool.random(using: &random) ? [false, true] : [true, false] {
                let start = clock.now
                let identifier = isKnown ? "reader\(pair)@example.com" : "nobody\(pair)@example.com"
                _ = try await rule.verify("wrong", isKnown ? known : nil, identifier: identifier, with: verifier)
                times[isKnown ? 1 : 0].append((clock.now - start) / .nanoseconds(1))
            }
        }
        return RankSumTest(times[0], times[1])
    }

    /// All schemes but the digests that take a microsecond: the code around them takes longer, and a wait of random
    /// length hides it from readers. The suite over every system measures that.
    @Test(
        "Timing does not reveal whether the reader exists",
        arguments: stored.map(\.scheme).filter { $0 != "ldap" })
    func indistinguishable(scheme: String) async throws {
        let known = StoredProof(value: try #require(Self.stored.first { $0.scheme == scheme }).value)
        let verifier = try testVerifier()
        var scores: [Double] = []
        for _ in 0..<3 {
            let rule = try proofRule("scheme: \(scheme)")
            for number in 0..<20 {
                _ = try await rule.verify("wrong", known, identifier: "first\(number)", with: verifier)
            }
            scores.append(try await Self.measured(rule, known, verifier).z)
            if abs(scores.last ?? 0) < 4.5 { return }
        }
        Issue.record("unknown and known differ: z of \(scores)")
    }

    @Test("The measurement detects a dummy hash of another cost")
    func sensitive() async throws {
        let verifier = try testVerifier()
        // Readers with {SSHA} in a table whose dummy hashes use bcrypt, without the cache of dummy hashes.
        let unknown = try proofRule("scheme: bcrypt")
        let known = try proofRule("scheme: ldap")
        let clock = ContinuousClock()
        // Other programs use the machine too and may hide the difference for a while.
        var scores: [Double] = []
        for _ in 0..<10 {
            var times: [[Double]] = [[], []]
            for pair in 0..<50 {
                var start = clock.now
                _ = try await unknown.verify("wrong", nil, identifier: "nobody\(pair)", with: verifier)
                times[0].append((clock.now - start) / .nanoseconds(1))
                start = clock.now
                _ = try await known.verify("wrong", StoredProof(value: Self.stored[4].value), with: verifier)
                times[1].append((clock.now - start) / .nanoseconds(1))
            }
            scores.append(RankSumTest(times[0], times[1]).z)
            if abs(scores.last ?? 0) > 4.5 { return }
        }
        Issue.record("the timing of an unknown reader is not distinguishable: z of \(scores)")
    }

    @Test("The Mann-Whitney test gives the same score as Python")
    func statistics() {
        // The example of scipy.stats.mannwhitneyu, where U is 17; its score was computed in Python.
        let test = RankSumTest([19, 22, 16, 29, 24], [20, 11, 17, 12])
        #expect(abs(test.z - 1.7146428199482247) < 1e-9)
        #expect(test.medians == (22, 14.5))
        #expect(RankSumTest([1, 1, 1], [1, 1, 1]).z == 0)
    }
}
