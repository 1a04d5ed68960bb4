import Foundation
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import PasswordHashing

/// A counter of crypt(3) computations, so that tests assert equal work without measuring time.
final class HashCounter: Sendable {
    private let hashes = Mutex<[PasswordScheme]>([])
    func record(_ scheme: PasswordScheme) { hashes.withLock { $0.append(scheme) } }
    /// Returns the schemes computed since the last call.
    func take() -> [PasswordScheme] {
        hashes.withLock { hashes in
            defer { hashes = [] }
            return hashes
        }
    }
}

let pepper = Secret("a pepper of 32 bytes, for tests!")

func testHasher(cost: Int = 1, pepper: Secret? = pepper, counter: HashCounter = HashCounter()) throws -> PasswordHasher
{
    try PasswordHasher(cost: cost, pepper: pepper, random: .seeded(7)) { counter.record($0) }
}

@Suite("Password hasher") struct PasswordsTests {
    @Test("Every scheme verifies the password that it hashed, and no other", arguments: ForeignHash.all)
    func schemes(foreign: ForeignHash) throws {
        let hasher = try testHasher()
        #expect(PasswordScheme(of: foreign.hash) == foreign.scheme)
        guard case .right = try hasher.check(ForeignHash.password, against: foreign.hash) else {
            Issue.record("rejected the right password")
            return
        }
        #expect(try hasher.check(ForeignHash.password + " ", against: foreign.hash) == .wrong)
        #expect(try hasher.check("Correct horse", against: foreign.hash) == .wrong)
    }

    @Test(
        "An incomplete hash or a hash of an unknown scheme is unreadable",
        arguments: [
            "", "*", "!", "x", "*0", "plain password", "abJnggxhB/yWI", "$", "$1$", "$y$j9T$salt$short",
            "$9$salt$digest",
            "$6$salt$" + String(repeating: "a", count: 85), "$2b$04$short", "$gfk1$c2FsdA$ZGlnZXN0", "$gfk1$$",
            "$1$abc:efgh$fIsNS1aKYUeO6D0uzo.rB/", "$1$abcdefgh$fIsNS1aKYUeO6D0uzo.rB/\n",
        ])
    func unknownFormats(hash: String) throws {
        #expect(PasswordScheme(of: hash) == nil)
        #expect(throws: PasswordError.unreadableHash) { try testHasher().check("x", against: hash) }
    }

    @Test("New hashes are yescrypt, salted, and match their password only")
    func newHashes() throws {
        let hasher = try testHasher()
        let hash = try hasher.hash("päßwörd")
        #expect(hash.hasPrefix("$y$"))
        #expect(try hasher.hash("päßwörd") != hash)
        #expect(try hasher.check("päßwörd", against: hash) == .right(upgradedHash: nil))
        #expect(try hasher.check("passwort", against: hash) == .wrong)
    }

    @Test("Pitfall 6: unknown, wrong, right and keyed all compute exactly one hash at the current cost")
    func equalWork() throws {
        let counter = HashCounter()
        let hasher = try testHasher(counter: counter)
        let stored = try hasher.hash("right")
        let keyed = try hasher.keyedHash("right")
        let tooLong = String(repeating: "x", count: 512)
        _ = counter.take()
        for (typed, against) in [
            ("right", nil), ("wrong", stored), ("right", stored), ("wrong", keyed), ("right", keyed),
            ("", stored), (tooLong, stored), (tooLong, nil), ("nul\0", stored), ("nul\0", keyed),
        ] as [(String, String?)] {
            _ = try hasher.check(typed, against: against)
            #expect(counter.take() == [.yescrypt])
        }
    }

    @Test("A hash of another scheme or cost is computed in addition, for a wrong password as for the right one")
    func otherCosts() throws {
        let counter = HashCounter()
        let hasher = try testHasher(cost: 2, counter: counter)
        let cheap = try testHasher(cost: 1).hash(ForeignHash.password)
        let md5 = ForeignHash.all[0].hash
        for (stored, scheme) in [(cheap, PasswordScheme.yescrypt), (md5, .md5)] {
            for typed in [ForeignHash.password, "wrong"] {
                _ = try hasher.check(typed, against: stored)
                #expect(counter.take() == [scheme, .yescrypt])
            }
        }
    }

    @Test("The upgraded hash that comes with a right password has the current cost")
    func upgrade() throws {
        let hasher = try testHasher(cost: 2)
        for stored in [try hasher.keyedHash("right"), try testHasher(cost: 1).hash("right")] {
            guard case .right(let better?) = try hasher.check("right", against: stored) else {
                Issue.record("no better hash")
                return
            }
            #expect(try hasher.check("right", against: better) == .right(upgradedHash: nil))
        }
    }

    @Test("A keyed hash needs its pepper and does not match under another one")
    func keyed() throws {
        let stored = try testHasher().keyedHash("right")
        #expect(throws: PasswordError.pepperMissing) { try testHasher(pepper: nil).check("right", against: stored) }
        #expect(throws: PasswordError.pepperMissing) { try testHasher(pepper: nil).keyedHash("right") }
        let other = try testHasher(pepper: Secret("another pepper of 32 bytes......"))
        #expect(try other.check("right", against: stored) == .wrong)
    }

    @Test(
        "Pitfall 14: empty passwords, NUL and too long ones are never right and never stored",
        arguments: ["", "\0", "\0right", "right\0", String(repeating: "x", count: 512)])
    func unacceptable(password: String) throws {
        let hasher = try testHasher()
        #expect(throws: PasswordError.unacceptablePassword) { try hasher.hash(password) }
        #expect(throws: PasswordError.unacceptablePassword) { try hasher.keyedHash(password) }
        #expect(try hasher.check(password, against: try hasher.hash("right")) == .wrong)
        #expect(try hasher.check(password, against: try hasher.hash("-")) == .wrong)
    }

    @Test("A damaged salt of a known scheme is a failure, not a rejection")
    func damaged() throws {
        let damaged = "$2b$99$KBCwKxOzLha2MUDgW0PjXexGfB5dmDvvvgEVjeeXiTo87i0yXWYau"
        #expect(throws: PasswordError.self) { try testHasher().check("x", against: damaged) }
    }

    @Test("Pitfall 19: hashing never exceeds its concurrency, and a check beyond the queue fails as `queueFull`")
    func cappedWork() async throws {
        let present = Mutex((now: 0, peak: 0))
        let gate = DispatchSemaphore(value: 0)
        let hasher = try PasswordHasher(cost: 1) { _ in
            present.withLock { present in
                present.now += 1
                present.peak = max(present.peak, present.now)
            }
            gate.wait()
            present.withLock { $0.now -= 1 }
        }
        let verifier = PasswordVerifier(hasher: hasher, concurrency: 2, waiting: 3)
        let outcomes = await withTaskGroup(of: Result<PasswordVerdict, any Error>.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    do { return .success(try await verifier.check("x", against: nil)) } catch { return .failure(error) }
                }
            }
            var outcomes: [Result<PasswordVerdict, any Error>] = []
            // Seven of twelve find the queue full while the others wait for the gate.
            for await outcome in group {
                outcomes.append(outcome)
                if outcomes.count == 7 { for _ in 0..<5 { gate.signal() } }
            }
            return outcomes
        }
        let rejected = outcomes.filter {
            if case .failure(let error) = $0 { error as? PasswordError == .queueFull } else { false }
        }
        #expect(rejected.count == 7)
        #expect(outcomes.count == 12)
        #expect(present.withLock { $0.peak } <= 2)
        gate.signal()
        #expect(try await verifier.check("x", against: nil) == .wrong)
    }

    @Test("Pitfall 20: no password appears in an error")
    func errors() {
        for error in [
            PasswordError.queueFull, .unreadableHash, .pepperMissing, .hashingFailed, .unacceptablePassword,
        ] {
            #expect(!error.cause.isEmpty)
            #expect(!error.cause.contains("marker"))
        }
    }

    @Test("10,000 random texts are no stored hash and crash nothing")
    func hostileHashes() {
        var random = SeededRandom(seed: 3)
        var authenticated = 0
        for _ in 0..<10_000 {
            let text = String(
                decoding: random.hostileBytes(upTo: 24, specialCharacters: "$$$126ygfk1ab./"), as: UTF8.self)
            if PasswordScheme(of: text) != nil { authenticated += 1 }
        }
        #expect(authenticated == 0)
    }
}
