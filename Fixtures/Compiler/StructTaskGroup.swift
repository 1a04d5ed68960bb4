// The shape in which a chain's backend queries its members, reduced: a throwing task group whose child result is a struct,
// read beside a closure that does not escape. Built with -O by Swift 6.3.1, it is right.

struct Failure: Error {}
enum Answer: Sendable { case recognised(String), notRecognised(String?) }

protocol Member: Sendable { func answer() async throws -> Answer }
struct One: Member {
    let name: String
    func answer() async throws -> Answer {
        await Task.yield()
        return .recognised(name)
    }
}

struct Response: Sendable { let position: Int; let result: Result<Answer, any Error> }

func ask(_ members: [any Member], note: (Int, Result<Answer, any Error>) -> Void) async throws -> Int {
    try await withThrowingTaskGroup(of: Response.self) { group -> Int in
        var position = 0
        while position < members.count {
            let member = members[position]
            let index = position
            group.addTask {
                do { return Response(position: index, result: .success(try await member.answer())) } catch {
                    return Response(position: index, result: .failure(error))
                }
            }
            guard let response = try await group.next() else { return -1 }
            note(response.position, response.result)
            position += 1
        }
        return position
    }
}

@main struct Program {
    static func main() async throws {
        for round in 0..<100 {
            let members: [any Member] = (0...(round % 3)).map { One(name: "reader \($0) of a long name") }
            var answers: [Result<Answer, any Error>?] = Array(repeating: nil, count: members.count)
            _ = try await ask(members) { answers[$0] = $1 }
            precondition(answers.allSatisfy { $0 != nil })
        }
        print("every answer came")
    }
}
