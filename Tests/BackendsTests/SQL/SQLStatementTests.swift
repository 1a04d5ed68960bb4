import Gatefold
import Primitives
import TestSupport
import Testing

@testable import Backends
@testable import SQLAccess

@Suite("SQL statement") struct SQLStatementTests {
    private func bound(_ text: String, _ dialect: SQLDialect = .postgreSQL) throws -> BoundStatement {
        try SQLStatement(text, dialect: dialect).bound
    }

    @Test("Named parameters are numbered for PostgreSQL, with equal numbers for equal names")
    func numbered() throws {
        let bound = try bound("SELECT 1 WHERE a = :identifier AND b = :password OR c = :identifier")
        #expect(bound.sql == "SELECT 1 WHERE a = $1 AND b = $2 OR c = $1")
        #expect(bound.parameters == ["identifier", "password"])
    }

    @Test("Named parameters become question marks for ODBC, and repeated names are bound repeatedly")
    func placeholders() throws {
        let bound = try bound("SELECT 1 WHERE a = :x1 AND b = :_y OR c = :x1", .odbc)
        #expect(bound.sql == "SELECT 1 WHERE a = ? AND b = ? OR c = ?")
        #expect(bound.parameters == ["x1", "_y", "x1"])
    }

    @Test(
        "Text that only looks like a parameter is kept",
        arguments: [
            "SELECT ':a', 'it''s :b'", #"SELECT ":a ""b"" :c""#, "SELECT now()::date", "SELECT f(x := 1)",
            #"SELECT E'\' :a', e'\\'"#, #"SELECT '\'"#, "SELECT $$ :a ' $$, $tag$ :b $$ ; $tag$",
            "SELECT a[1:2]", "SELECT 1 : 2", "SELECT data ? 'a'", "SELECT ';'", "SELECT name$1 FROM t",
            "SELECT 'é:ü' AS \"ü:é\"", "SELECT x'00', U&'d\\0061'",
        ])
    func stored(text: String) throws {
        let bound = try bound(text)
        #expect(bound.sql == text)
        #expect(bound.parameters.isEmpty)
    }

    @Test(
        "The quotes of other databases are kept",
        arguments: ["SELECT [a:b]]:c] FROM t", "SELECT `a:b``:c` FROM t", "SELECT ':a' FROM \"b:c\"", "SELECT $1"])
    func retainedBehindODBC(text: String) throws {
        let bound = try bound(text, .odbc)
        #expect(bound.sql == text)
        #expect(bound.parameters.isEmpty)
    }

    @Test("Comments and the final semicolon are removed")
    func comments() throws {
        #expect(try bound("SELECT 1 -- :a ; '\n + :b").sql == "SELECT 1  \n + $1")
        #expect(try bound("SELECT /* :a /* inner ' */ ; */ :b").sql == "SELECT   $1")
        #expect(try bound("SELECT 1 ; -- that is all\n /* truly */ ").sql.hasPrefix("SELECT 1 "))
        #expect(try !bound("SELECT 1;").sql.contains(";"))
        #expect(try bound("SELECT 1 -- a", .odbc).parameters.isEmpty)
    }

    @Test("Only a single statement is accepted")
    func oneStatement() {
        for text in ["SELECT 1; SELECT 2", "SELECT 1;;", "; SELECT 1", "SELECT 1; :a"] {
            #expect(throws: SQLStatementError.severalStatements) { try bound(text) }
        }
        for text in ["", "  ", "-- nothing", "/* nothing */", ";"] {
            #expect(throws: SQLStatementError.empty) { try bound(text) }
        }
    }

    @Test("An unterminated quote or comment is rejected")
    func unfinished() {
        for text in ["SELECT 'a", "SELECT \"a", "SELECT $$ a", "SELECT $a$ b $$", "SELECT /* a /* */", #"SELECT E'\'"#]
        {
            #expect(throws: SQLStatementError.self, "\(text)") { try bound(text) }
        }
        for text in ["SELECT [a", "SELECT `a", "SELECT [a]]"] {
            #expect(throws: SQLStatementError.self, "\(text)") { try bound(text, .odbc) }
        }
    }

    @Test("A statement that databases read differently, or with its own placeholders, is rejected")
    func ambiguous() {
        for text in [
            #"SELECT 'a\' , ' b'"#, #"SELECT 'a\\'"#, "SELECT 1 --a", "SELECT /*! :a */ 1", "SELECT /* /* */ 1",
            "SELECT ?", "SELECT :naïve",
        ] {
            #expect(throws: SQLStatementError.self, "\(text)") { try bound(text, .odbc) }
        }
        #expect(throws: SQLStatementError.placeholder("$1")) { try bound("SELECT $1") }
        #expect(throws: SQLStatementError.unacceptableCharacter) { try bound("SELECT '\u{0}'") }
        #expect(throws: SQLStatementError.unacceptableCharacter) { try bound("SELECT \u{0}") }
    }

    @Test("Pitfall 13: 10,000 random statements keep their text, and quoted text is never bound")
    func fuzz() {
        var random = SeededRandom(seed: 13)
        let words = [
            "'", "''", "\"", "$$", "$a$", ":a", ":b", "::", ":=", "--", "-- ", "/*", "*/", "\\", "E'", "[", "]", "`",
            ";",
            "?", "$1", " ", "\n", "x", "é", "e\u{301}", "\r\n", "\u{0}", ":", "-", "/", "1",
        ]
        var accepted = 0
        for _ in 0..<10_000 {
            let text = (0..<Int.random(in: 0...14, using: &random))
                .map { _ in words[Int.random(in: 0..<words.count, using: &random)] }.joined()
            for dialect in [SQLDialect.postgreSQL, .odbc] {
                guard let template = try? SQLScanner.template(text, dialect: dialect) else { continue }
                accepted += 1
                let written = template.render { ":\($0)" }
                // Only comments and one semicolon were removed, so the rest is read in the same way.
                #expect((try? SQLScanner.template(written, dialect: dialect)) == template, "\(text.debugDescription)")
                let quoted =
                    "SELECT '\(text.replacing("'", with: "''").replacing("\\", with: "").replacing("\0", with: ""))'"
                #expect((try? SQLStatement(quoted, dialect: dialect))?.bound.parameters == [])
            }
        }
        #expect(accepted > 1_000)
    }
}
