// A reduction of how a chain backend queries its members: a throwing task group whose child result is a tuple, read next to
// a non-escaping closure. It traps when built with -O by Swift 6.3.1.

struct Failure: Error {}
enum Outcome: Sendable { case authenticated(String), rejected(String?) }

protocol Member: Sendable { func response() async throws -> Outcome }
struct One: Member {
    let name: String
    func response() async throws -> Outcome {
        await Task.yield()
        return .authenticated(name)
    }
}

func send(_ members: [any Member], record: (Int, Result<Outcome, any Error>) -> Void) async throws -> Int {
    try await withThrowingTaskGroup(of: (Int, Result<Outcome, any Error>).self) { group -> Int in
        var position = 0
        while position < members.count {
            let member = members[position]
            let index = position
            group.addTask {
                do { return (index, .success(try await member.response())) } catch { return (index, .failure(error)) }
            }
            guard let (found, response) = try await group.next() else { return -1 }
            record(found, response)
            position += 1
        }
        return position
    }
}

@main struct Program {
    static func main() async throws {
        for round in 0..<100 {
            let members: [any Member] = (0...(round % 3)).map { One(name: "reader \($0) of a long name") }
            var results: [Result<Outcome, any Error>?] = Array(repeating: nil, count: members.count)
            _ = try await send(members) { results[$0] = $1 }
            precondition(results.allSatisfy { $0 != nil })
        }
        print("all responses arrived")
    }
}
