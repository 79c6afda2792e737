from lenient_book.experiments.reproduce import main

main()
