import Testing
import XML

@testable import Conformance

@Suite("Schema of edition credentials")
struct CredentialsSchemaTests {
    private func errors(in document: String) throws -> [String] {
        try PugpigSchemas().errors(in: Array(document.utf8), of: .editionCredentials)
    }

    @Test(
        "accepts the elements in any order, with additional elements",
        arguments: [
            "<credentials><userid>a</userid><password>b</password></credentials>",
            "<credentials><password>b</password><userid>a</userid></credentials>",
            "<credentials><userid>a</userid><password>b</password><header name=\"x\">c</header><!-- d --><e f=\"g\"><h/></e></credentials>",
            "<credentials><header name=\"x\">c</header><e/><password>b</password><userid>a</userid></credentials>",
            "<credentials><error status=\"notentitled\"/></credentials>", "<error message=\"a\"/>",
        ])
    func good(document: String) throws {
        #expect(try errors(in: document).isEmpty)
    }

    @Test(
        "rejects an incomplete pair, duplicates, a pair with an error, and a header without a name",
        arguments: [
            "<credentials/>", "<credentials><userid>a</userid></credentials>", "<credentials><e/></credentials>",
            "<credentials><userid>a</userid><userid>a</userid><password>b</password></credentials>",
            "<credentials><userid>a</userid><password>b</password><error/></credentials>",
            "<credentials><userid>a</userid><password>b</password><header>c</header></credentials>",
            "<credentials a=\"b\"><userid>a</userid><password>b</password></credentials>", "<grants/>",
        ])
    func bad(document: String) throws {
        #expect(try !errors(in: document).isEmpty)
    }

    @Test("skips the parts it leaves open, which would take long, and validates the others")
    func open() throws {
        let attributes = (0..<100).map { " a\($0)=''" }.joined()
        let many = String(repeating: "<e\(attributes)><userid/><f\(attributes)/></e>", count: 90)
        #expect(try errors(in: "<credentials>\(many)<userid>a</userid><password>b</password></credentials>").isEmpty)
        #expect(try !errors(in: "<credentials>\(many)<userid>a</userid></credentials>").isEmpty)
        // An element of another namespace is a different element.
        let other = "<x:userid xmlns:x=\"urn:x\"><g/></x:userid>"
        #expect(try errors(in: "<credentials>\(other)<userid>a</userid><password>b</password></credentials>").isEmpty)
        #expect(try !errors(in: "<credentials>\(other)<password>b</password></credentials>").isEmpty)
        #expect(try !errors(in: "<credentials><userid>a<g/></userid><password>b</password></credentials>").isEmpty)
        let dovetail = "<result_response>\(many)<authToken>t</authToken></result_response>"
        #expect(try PugpigSchemas().errors(in: Array(dovetail.utf8), of: .signIn).isEmpty)
    }
}
