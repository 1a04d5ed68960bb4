// A reduction of the key of a shared query: a vector of 32 bytes that an asynchronous function holds across a suspension. The
// optimiser of Swift 6.3.1 aligns it to 32 bytes in the function's frame, but reserves up to 16 bytes too few for the frame. The
// last value in the frame then overwrites the next allocation of the task. Built with -O, the program ends with "freed pointer
// was not the last allocation".

struct Digest: Hashable, Sendable { let words: SIMD4<UInt64> }
struct Failure: Error {}
enum Outcome: Sendable { case nothing, name(String?), facts(String, Int, [String]) }
struct Reply: Sendable { let response: Outcome; let number: Int; let order: Int }

final class Server: Sendable {
    @inline(never) func send(
        _ digest: Digest, _ reply: @escaping @Sendable () async throws -> Reply
    ) async throws -> Reply {
        let received = try await Task { try await reply() }.value
        return digest.words.x == 0 ? Reply(response: .nothing, number: 0, order: 0) : received
    }
}

struct Caller: Sendable {
    let digest = Digest(words: SIMD4(1, 2, 3, 4))
    let reply = Reply(response: .nothing, number: 0, order: 1)

    func sendTwice() async throws {
        let server = Server()
        let box = Box(0)
        let task = Task { [digest] in
            try await server.send(digest) {
                await Task.yield()
                throw Failure()
            }
        }
        for _ in [1] { await Task.yield() }
        _ = try await server.send(digest) { [reply] in reply }
        do { _ = try await task.value } catch is Failure {}
        box.check()
    }
}

final class Box: Sendable {
    let number: Int

    init(_ number: Int) { self.number = number }

    @inline(never) func check() { precondition(number >= 0) }
}

@main struct Program {
    static func main() async throws {
        for _ in 0..<1000 { try await Caller().sendTwice() }
        print("all responses arrived")
    }
}
