// A reduction of how a chain backend queries its members: a throwing task group whose child result is a struct, read next to
// a non-escaping closure. It works when built with -O by Swift 6.3.1.

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

struct Response: Sendable { let position: Int; let result: Result<Outcome, any Error> }

func send(_ members: [any Member], record: (Int, Result<Outcome, any Error>) -> Void) async throws -> Int {
    try await withThrowingTaskGroup(of: Response.self) { group -> Int in
        var position = 0
        while position < members.count {
            let member = members[position]
            let index = position
            group.addTask {
                do { return Response(position: index, result: .success(try await member.response())) } catch {
                    return Response(position: index, result: .failure(error))
                }
            }
            guard let response = try await group.next() else { return -1 }
            record(response.position, response.result)
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
